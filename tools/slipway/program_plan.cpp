// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "program_plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "command.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/slurm/host_list.hpp"
#include "slipway/slurm/layout.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// As in core/runtime/launch/plan_on.cpp.
constexpr std::string_view mark_of_programs = "slipway program: knows --slipway-plan-on, form 1";
constexpr std::string_view mark_of_binaries = "\177ELF";

Words with_options(const Words& command, const Words& options) {
  Words words = command;
  words.insert(words.begin() + 1, options.begin(), options.end());
  return words;
}

fs::path file_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  for (const std::string_view directory : split(path ? path : "", ':')) {
    const fs::path file = fs::path(directory) / program;
    if (!directory.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// Programs may be large: a part at a time, each with the end of the one before.
bool contains(std::ifstream& file, std::string_view text) {
  constexpr std::size_t part_size = std::size_t{1} << 20;
  const std::boyer_moore_horspool_searcher searcher(text.begin(), text.end());
  std::string part;
  std::string next(part_size, '\0');
  while (file.read(next.data(), part_size) || file.gcount() > 0) {
    part.erase(0, part.size() - std::min(part.size(), text.size() - 1));
    part.append(next, 0, static_cast<std::size_t>(file.gcount()));
    if (std::search(part.begin(), part.end(), searcher) != part.end()) return true;
  }
  return false;
}

// GPUs that a rank may find though nobody asked for them: the queue gives them, or an option that is not ours does.
std::uint32_t gpus_of_node(const slurm::NodeSet& set, const slurm::JobSpec& job, const slurm::MachineProfile& machine) {
  constexpr std::uint32_t unknown_number = 64;
  const bool by_queue = machine.gpu_request == slurm::GpuRequest::none;
  const bool by_option = std::any_of(job.extra_directives.begin(), job.extra_directives.end(), [](const auto& option) {
    return option.find("gpu") != std::string::npos || option.find("gres") != std::string::npos;
  });
  if (set.gpus_per_node > 0 || (!by_queue && !by_option)) return set.gpus_per_node;
  const std::uint32_t of_type = machine.node_type(set.node_type).gpus;
  return of_type > 0 ? of_type : unknown_number;
}

// For --slipway-plan-on. Hosts have names where the job names as many as it has nodes.
std::string hosts_of(const slurm::JobSpec& job, const slurm::MachineProfile& machine) {
  std::string text;
  for (const auto& set : job.node_sets) {
    text += fmt::format("{}{}x{}x{}:{}", text.empty() ? "" : "+", set.nodes,
                        std::uint64_t{set.ranks_per_node} * set.cores_per_rank, gpus_of_node(set, job, machine),
                        set.ranks_per_node);
  }
  const bool names_given = !job.node_list.empty() && job.node_list.find('/') == std::string::npos;  // else a file
  if (!names_given || job.node_sets.size() > 1) return text;
  const auto names = slurm::expand_host_list(job.node_list);
  return names.size() == job.node_sets.front().nodes ? fmt::format("{}@{}", text, fmt::join(names, ",")) : text;
}

std::string first_line(const std::string& text) { return std::string(split(text, '\n').front()); }

void warn_unchecked(const std::string& program, const std::string& why) {
  fmt::print(stderr, "slipway: warning: nobody knows whether the graph of {} has a place on these nodes ({})\n",
             program, why);
}

void refuse_no_place(const std::string& output) {
  if (const auto refusal = slurm::refusal_of_plan(output)) {
    throw UsageError("the program has no place on the nodes of this job; nothing was written or submitted. It says:\n" +
                     *refusal);
  }
}

}  // namespace

std::string plan_of(const Words& command, const Words& options) {
  const Words words = with_options(command, options);
  const auto result = run_command(words);
  if (!result) throw UsageError("there is no program " + command.front() + " on the PATH; correct its name");
  refuse_no_place(result->output);
  if (result->status != 0) {
    throw UsageError("the program's plan could not be made (" + shell_line(words) + " ended with status " +
                     std::to_string(result->status) + "); say --ranks-per-node if it is no slipway program:\n" +
                     result->errors);
  }
  return result->output;
}

std::string placement_of(const slurm::JobSpec& job, const slurm::MachineProfile& machine) {
  return plan_of(job.command, {"--slipway-plan-on=" + hosts_of(job, machine)});
}

bool is_slipway_program(const std::string& program) {
  std::ifstream file(file_of(program), std::ios::binary);
  std::string start(mark_of_binaries.size(), '\0');
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == mark_of_binaries &&
         contains(file, mark_of_programs);
}

void check_placement(const slurm::JobSpec& job, const slurm::MachineProfile& machine) {
  const std::string& program = job.command.front();
  if (!is_slipway_program(program)) return;
  constexpr std::chrono::seconds patience{10};
  Words variables;
  for (const auto& [name, value] : job.environment) variables.push_back(name + "=" + value);
  const auto answer =
      detail::capture({.command = with_options(job.command, {"--slipway-plan=json", "--slipway-quiet",
                                                             "--slipway-plan-on=" + hosts_of(job, machine)}),
                       .more_environment = std::move(variables),
                       .limit = patience});
  if (!answer) return warn_unchecked(program, "it cannot be run here");
  if (answer->timed_out) {
    return warn_unchecked(program, fmt::format("it had printed no plan after {} s", patience.count()));
  }
  refuse_no_place(answer->output);
  if (answer->status != 0) {
    warn_unchecked(program, fmt::format("asked for its plan, it ended with status {}: {}", answer->status,
                                        first_line(answer->errors)));
  }
}

}  // namespace slipway::tool
