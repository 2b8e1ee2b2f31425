// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/batch_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "directives.hpp"
#include "launch_command.hpp"
#include "one_allocation.hpp"
#include "script_text.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/hash.hpp"
#include "slipway/base/text.hpp"

namespace slipway::slurm {

namespace {

constexpr std::string_view checksum_mark = "# slipway-checksum: ";

// One line whatever the text has: a line break would end the comment.
std::string comment_text(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    line += code < 0x20 || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, letter);
  }
  return line;
}

std::string comment(std::string_view text) { return "# " + comment_text(text) + "\n"; }

std::string section(std::string_view title) {
  constexpr std::size_t width = 78;
  std::string line = fmt::format("\n# --- {} ", title);
  return line.append(std::max(width, line.size()) - line.size(), '-') + "\n";
}

std::string header(const JobSpec& job, const MachineProfile& machine) {
  std::string text = comment(fmt::format("Run '{}' on machine '{}'.", job.name, machine.name));
  if (!job.made_by.empty()) text += comment("Written for this command line:") + comment("  " + job.made_by);
  text += comment("To submit it by hand: sbatch, and the name of this file. Edit it as you like: a script that was");
  text += comment("edited is taken as it stands.");
  text += "# shellcheck disable=SC2016,SC2317  # values stand as they are; traps call functions\n";
  for (const auto& note : machine.notes) text += comment("Note: " + note);
  for (const auto& [field, why] : machine.unsure) text += comment("Unsure: " + field + ": " + why);
  for (const auto& warning : warnings_of(job, machine)) text += comment("Warning: " + warning);
  return text;
}

std::string directives(const JobSpec& job, const MachineProfile& machine) {
  const auto components = directives_of(job, machine);
  std::string text;
  for (std::size_t part = 0; part < components.size(); ++part) {
    if (part > 0) text += "#SBATCH hetjob\n";
    for (const auto& directive : components[part]) text += "#SBATCH " + to_text(directive) + "\n";
    if (part > 0) continue;
    for (const auto& extra : job.extra_directives) text += "#SBATCH " + extra + "\n";
  }
  return text;
}

std::string prologue(const JobSpec& job, const MachineProfile& machine) {
  std::string text =
      "\nearly_notice=''\ntrap 'early_notice=yes' " + job.notice.signal + "  # before there is a program\n";
  text += section("prologue");
  for (const auto& line : machine.prologue) text += comment(line);
  text += job.prologue;
  if (!job.prologue.empty() && !job.prologue.ends_with('\n')) text += '\n';
  return text;
}

std::string exports(const std::map<std::string, std::string>& variables) {
  std::string text;
  for (const auto& [name, value] : variables) text += "export " + name + "=" + shell_word(value) + "\n";
  return text;
}

std::string array_of(std::string_view name, const std::vector<std::string>& words) {
  return fmt::format("{}=({})\n", name, shell_line(words));
}

// By the first core that is near: the ranks of a node take its cores in their order. Only where ranks see all GPUs.
std::string gpu_order(const JobSpec& job, const MachineProfile& machine) {
  const NodeSet set = in_one_allocation(job, machine) ? allocation_of(job, machine) : job.node_sets.front();
  const NodeType& type = machine.node_type(set.node_type);
  const bool sees_all = set.gpus_per_node == type.gpus && machine.gpu_request != GpuRequest::gpus_per_task;
  if (!sees_all || type.cores_of_gpu.empty()) return {};
  std::vector<std::pair<int, std::size_t>> by_core;
  for (std::size_t gpu = 0; gpu < type.cores_of_gpu.size(); ++gpu) {
    by_core.emplace_back(std::atoi(type.cores_of_gpu[gpu].c_str()), gpu);
  }
  std::sort(by_core.begin(), by_core.end());
  std::string order;
  for (const auto& [core, gpu] : by_core) order.append(order.empty() ? "" : ",").append(std::to_string(gpu));
  return order;
}

std::string program(const JobSpec& job, const MachineProfile& machine) {
  std::string text = section("program");
  text += "set -u\n";
  text += "unset SLURM_EXPORT_ENV  # else srun starts the ranks without PATH after sbatch --export\n";
  text += exports(machine.environment);
  for (const auto& set : job.node_sets) text += exports(machine.node_type(set.node_type).environment);
  const std::string order = gpu_order(job, machine);
  if (!order.empty()) text += "export SLIPWAY_GPU_ORDER=" + order + "\n";
  text += exports(job.environment);
  if (job.core_dumps) text += core_dumps_text;
  if (job.run_directory.empty()) {
    text += "run_directory=$SLURM_SUBMIT_DIR/runs/$SLURM_JOB_NAME-${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}\n";
  } else {
    text += "run_directory=" + shell_word(job.run_directory) + "\n";
  }
  if (!job.array.empty()) text += "run_directory+=\"/$SLURM_ARRAY_TASK_ID\"\n";
  text += "attempt=1  # the first that nobody has taken: a requeued or resubmitted job goes on\n";
  text += "while [ -e \"$run_directory/.attempt-$attempt\" ]; do attempt=$((attempt + 1)); done\n";
  text += "mkdir -p \"$run_directory\" || exit 2\n";
  text += done_text;
  text += "export SLIPWAY_RUN_DIRECTORY=$run_directory SLIPWAY_ATTEMPT=$attempt\n";
  if (job.notice.margin.count() > 0)
    text += fmt::format("export SLIPWAY_NOTICE_MARGIN={}s\n", job.notice.margin.count());
  return text;
}

std::string launch(const JobSpec& job, const MachineProfile& machine) {
  std::string text = section("launch");
  const LaunchCommand command = launch_command(job, machine);
  text += exports(command.environment);
  if (in_one_allocation(job, machine)) text += hosts_of_ranks_text(job);
  text += array_of("launch", command.words);
  text += "echo \"slipway: job $SLURM_JOB_ID, attempt $attempt, nodes $SLURM_JOB_NODELIST\"\n";
  text += "printf 'slipway: runs'; printf ' %q' \"${launch[@]}\"; echo\n";
  return text;
}

std::string follow(const JobSpec& job) {
  return std::string(await_text) + replaced(follow_text, "@SIGNAL@", job.notice.signal);
}

std::string requeue(const JobSpec& job) {
  const NoticePolicy& notice = job.notice;
  constexpr std::uint32_t most_lost_nodes = 10;  // more are no chance
  std::string text;
  if (notice.most_restarts > 0) text += replaced(requeue_text, "@MOST@", std::to_string(notice.most_restarts));
  if (notice.requeue_on_node_failure) {
    const std::uint32_t most = std::max(notice.most_restarts, most_lost_nodes);
    text += replaced(node_failure_text, "@MOST@", std::to_string(most));
  }
  if (text.empty()) return {};
  const std::string_view id = job.array.empty() ? "$SLURM_JOB_ID" : "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID";
  return section("requeue") + replaced(text, "@ID@", id);
}

std::string with_checksum(const std::string& before, const std::string& behind) {
  return before + fmt::format("{}{:016x}\n", checksum_mark, fnv1a(before + behind)) + behind;
}

void require_no_problems(const JobSpec& job, const MachineProfile& machine) {
  const auto problems = problems_of(job, machine);
  if (problems.empty()) return;
  std::string text = "the job cannot be written, nothing was submitted:";
  for (const auto& problem : problems) text += "\n  " + problem;
  throw UsageError(text);
}

}  // namespace

std::string batch_script(const JobSpec& job, const MachineProfile& machine) {
  require_no_problems(job, machine);
  std::string rest = directives(job, machine) + prologue(job, machine) + program(job, machine) + launch(job, machine);
  rest += follow(job) + section("verdict") + std::string(verdict_text) + requeue(job) + "exit \"$status\"\n";
  return with_checksum("#!/bin/bash -l\n" + header(job, machine), rest);
}

std::string series_script(const JobSpec& job, const MachineProfile& machine,
                          const std::vector<std::string>& run_directories) {
  require_no_problems(job, machine);
  if (launcher_of(job, machine) == Launcher::ibrun) {
    throw UsageError(
        "runs of different sizes cannot be steps of one job by ibrun (it starts ranks on all nodes of the job). Use a "
        "job a run, or --launcher srun where the site allows it");
  }
  std::string rest = directives(job, machine) + section("runs") + "set -u\n" + "runs=(\n";
  for (const auto& directory : run_directories) rest += "  " + shell_word(directory) + "\n";
  rest += ")\n" + std::string(await_text) + replaced(series_text, "@SIGNAL@", job.notice.signal);
  return with_checksum("#!/bin/bash -l\n" + header(job, machine), rest);
}

bool edited_by_hand(const std::string& script) {
  const std::size_t mark = script.find(checksum_mark);
  if (mark == std::string::npos) return true;
  const std::size_t end = script.find('\n', mark);
  if (end == std::string::npos) return true;
  return with_checksum(script.substr(0, mark), script.substr(end + 1)) != script;
}

}  // namespace slipway::slurm
