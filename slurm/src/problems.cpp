// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "directives.hpp"
#include "one_allocation.hpp"
#include "queue_checks.hpp"
#include "slipway/base/error.hpp"
#include "slipway/slurm/amounts.hpp"
#include "slipway/slurm/array_indexes.hpp"
#include "slipway/slurm/batch_script.hpp"

namespace slipway::slurm {

namespace {

using Problems = std::vector<std::string>;

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [more](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || more.find(letter) != std::string_view::npos;
  });
}

bool is_name(std::string_view text) {
  return is_word(text, "_") && !std::isdigit(static_cast<unsigned char>(text.front()));
}

void check_need(Problems& problems, Need need, std::string_view what, const std::string& value, bool said_by_user,
                const MachineProfile& machine) {
  if (need == Need::required && value.empty()) {
    problems.push_back(
        fmt::format("no {0} is given (machine '{1}' takes no job without one); add --{0}", what, machine.name));
  }
  if (need == Need::never && said_by_user) {
    problems.push_back(fmt::format("a {0} is given (machine '{1}' has none); leave --{0} out", what, machine.name));
  }
}

// Of options by themselves: what the site needs, what it forbids, and lines that would not stay one line.
void check_directives(Problems& problems, const JobSpec& job, const MachineProfile& machine) {
  for (const auto& component : directives_of(job, machine)) {
    const auto value = [&component](std::string_view name) {
      const auto found = std::find_if(component.begin(), component.end(),
                                      [name](const Directive& directive) { return directive.name == name; });
      return found == component.end() ? std::string() : found->value;
    };
    check_need(problems, machine.account, "account", value("account"), !job.account.empty(), machine);
    check_need(problems, machine.partition, "partition", value("partition"), !job.partition.empty(), machine);
    check_need(problems, machine.qos, "qos", value("qos"), !job.qos.empty(), machine);
    check_need(problems, machine.constraint, "constraint", value("constraint"), !job.constraint.empty(), machine);
    for (const auto& directive : component) {
      if (const auto reason = machine.forbidden.find(directive.name); reason != machine.forbidden.end()) {
        problems.push_back(fmt::format("--{} is not for machine '{}' ({}); leave it out", directive.name, machine.name,
                                       reason->second));
      }
      if (std::any_of(directive.value.begin(), directive.value.end(),
                      [](char letter) { return std::iscntrl(static_cast<unsigned char>(letter)); })) {
        problems.push_back(
            fmt::format("--{} has a line break or another control character (sbatch reads one line an "
                        "option); take it out",
                        directive.name));
      }
    }
  }
  for (const auto& extra : job.extra_directives) {
    const std::string name = extra.substr(std::min(extra.find_first_not_of('-'), extra.size()));
    const auto reason = machine.forbidden.find(name.substr(0, name.find('=')));
    if (reason == machine.forbidden.end()) continue;
    problems.push_back(
        fmt::format("{} is not for machine '{}' ({}); leave it out", extra, machine.name, reason->second));
  }
  if (job.exclusive.value_or(false) && machine.exclusive == Exclusive::impossible) {
    problems.push_back(fmt::format("whole nodes cannot be had on machine '{}'; leave --exclusive out", machine.name));
  }
  if (machine.time == Need::required && job.time.count() == 0) {
    problems.push_back(
        fmt::format("no time limit is given (machine '{}' takes no job without one); add --time", machine.name));
  }
}

void check_cores(Problems& problems, const NodeSet& set, const NodeType& type, const MachineProfile& machine) {
  if (set.nodes == 0 || set.ranks_per_node == 0 || set.cores_per_rank == 0) {
    problems.push_back(fmt::format("{} nodes with {} ranks of {} cores are no job; each number must be 1 or more",
                                   set.nodes, set.ranks_per_node, set.cores_per_rank));
    return;
  }
  const std::uint64_t cores = std::uint64_t{set.ranks_per_node} * set.cores_per_rank;
  if (type.cores > 0 && cores > type.usable_cores) {
    const std::string of_all = type.usable_cores == type.cores ? "" : fmt::format(" of {}", type.cores);
    problems.push_back(fmt::format(
        "{} ranks with {} cores each are {} cores a node ('{}' nodes of machine '{}' have {}{} for jobs); take fewer "
        "ranks a node, fewer cores a rank, or more nodes",
        set.ranks_per_node, set.cores_per_rank, cores, type.name, machine.name, type.usable_cores, of_all));
  }
  if (type.memory_mib > 0 && set.memory_mib > type.memory_mib) {
    problems.push_back(
        fmt::format("{} MiB of memory a node are too much ('{}' nodes of machine '{}' have {} MiB for "
                    "jobs); ask for less, or for more nodes",
                    set.memory_mib, type.name, machine.name, type.memory_mib));
  }
}

void check_gpus(Problems& problems, const NodeSet& set, const NodeType& type, const MachineProfile& machine) {
  if (set.gpus_per_node == 0 || set.ranks_per_node == 0) return;
  const bool geometry_known = type.cores > 0 || type.gpus > 0;
  if (geometry_known && set.gpus_per_node > type.gpus) {
    std::string others;
    for (const auto& other : machine.node_types) {
      if (other.gpus >= set.gpus_per_node) others += " '" + other.name + "'";
    }
    problems.push_back(fmt::format("{} GPUs a node are too many ('{}' nodes of machine '{}' have {}); {}",
                                   set.gpus_per_node, type.name, machine.name, type.gpus,
                                   others.empty() ? "take more nodes" : "use nodes of type" + others));
  }
  if (machine.gpu_request == GpuRequest::gpus_per_task && set.gpus_per_node % set.ranks_per_node != 0) {
    problems.push_back(
        fmt::format("{} GPUs a node do not go evenly to {} ranks (machine '{}' gives GPUs by rank); "
                    "change one of the numbers",
                    set.gpus_per_node, set.ranks_per_node, machine.name));
  }
  const std::uint64_t cores = std::uint64_t{set.ranks_per_node} * set.cores_per_rank;
  const std::uint64_t needed = std::uint64_t{type.cores_per_gpu} * set.gpus_per_node;
  if (cores < needed) {
    problems.push_back(
        fmt::format("{} cores a node are too few for {} GPUs (machine '{}' wants {} cores with each); "
                    "take {} cores a node",
                    cores, set.gpus_per_node, machine.name, type.cores_per_gpu, needed));
  }
}

void check_profile(Problems& problems, const MachineProfile& machine) {
  std::vector<const std::map<std::string, std::string>*> variables{&machine.environment};
  for (const auto& type : machine.node_types) variables.push_back(&type.environment);
  for (const auto* const some : variables) {
    for (const auto& [name, value] : *some) {
      if (is_name(name)) continue;
      problems.push_back(fmt::format("the profile of machine '{}' exports '{}' (no name of a variable); correct it",
                                     machine.name, name));
    }
  }
}

void check_node_sets(Problems& problems, const JobSpec& job, const MachineProfile& machine) {
  if (job.node_sets.empty()) problems.push_back("the job has no nodes; give --nodes");
  for (const auto& set : job.node_sets) {
    const NodeType& type = machine.node_type(set.node_type);
    check_cores(problems, set, type, machine);
    check_gpus(problems, set, type, machine);
    if (!in_one_allocation(job, machine)) check_queues(problems, job, set, machine);
  }
  if (job.node_sets.size() < 2) return;
  if (launcher_of(job, machine) != Launcher::srun) {
    problems.push_back(
        "nodes of several types need srun (mpirun and ibrun start the first component only); use "
        "--launcher srun");
  }
  if (in_one_allocation(job, machine)) {
    check_one_allocation(problems, job, machine);
    check_queues(problems, job, allocation_of(job, machine), machine);
    return;
  }
  if (!job.array.empty()) problems.push_back("an array of heterogeneous jobs does not exist in Slurm; leave one out");
}

void check_texts(Problems& problems, const JobSpec& job) {
  if (job.command.empty() || job.command.front().empty()) problems.push_back("no program is given; name it last");
  if (std::find(job.command.begin(), job.command.end(), ":") != job.command.end()) {
    problems.push_back(
        "the program has a bare ':' among its arguments (srun and mpirun take it for the beginning of "
        "another program); pass it in another form");
  }
  if (!is_word(job.name, "_-.+")) {
    problems.push_back(
        fmt::format("'{}' is no name for a job (it becomes a part of file names); use letters, digits "
                    "and _ - . +",
                    job.name));
  }
  for (const std::string& directory : {job.working_directory, job.run_directory}) {
    if (!directory.empty() && !directory.starts_with('/')) {
      problems.push_back(
          fmt::format("'{}' is no absolute directory (the job starts elsewhere); write it from the root", directory));
    }
  }
  if (job.run_directory.find('\\') != std::string::npos) {
    problems.push_back(
        "the run directory has a backslash in its name (Slurm then leaves %j in log names as it is); use "
        "another directory");
  }
  if (!job.array.empty() && !parse_array(job.array)) {
    problems.push_back(fmt::format("'{}' is no array; write 0-99, 1,5,7 or 0-99%8", job.array));
  }
  for (const auto& [name, value] : job.environment) {
    if (!is_name(name)) {
      problems.push_back(fmt::format("'{}' is no name of a variable (letters, digits and _); correct it", name));
    }
  }
  for (const auto& directive : job.extra_directives) {
    if (!directive.starts_with("-") || directive.find('\n') != std::string::npos) {
      problems.push_back(fmt::format("'{}' is no option of sbatch; write one such as --switches=1", directive));
    }
  }
}

void check_notice(Problems& problems, const JobSpec& job) {
  static const std::set<std::string> signals{"USR1", "USR2", "HUP", "URG", "WINCH", "XCPU"};
  const NoticePolicy& notice = job.notice;
  if (!signals.contains(notice.signal)) {
    problems.push_back(
        fmt::format("'{}' is no signal for a notice (it would end or stop the script); use USR1, USR2, HUP, URG, WINCH "
                    "or XCPU",
                    notice.signal));
  }
  constexpr std::int64_t longest_margin = 65535;  // what sbatch takes
  if (notice.margin.count() < 0 || notice.margin.count() > longest_margin) {
    problems.push_back(fmt::format("a notice {} s before the end is not possible (Slurm takes 0 to 65535); change it",
                                   notice.margin.count()));
  }
  if (job.time.count() > 0 && notice.margin >= job.time) {
    problems.push_back(
        fmt::format("the notice comes {} s before the end of a job of {}; make the job longer or the "
                    "margin shorter",
                    notice.margin.count(), format_wall_time(job.time)));
  }
  if (notice.most_restarts > 0 && job.time.count() == 0) {
    problems.push_back("the job is to be requeued at its time limit, but none is given; add --time");
  }
}

}  // namespace

std::vector<std::string> problems_of(const JobSpec& job, const MachineProfile& machine) {
  Problems problems;
  check_texts(problems, job);
  check_profile(problems, machine);
  check_node_sets(problems, job, machine);
  if (problems.empty()) check_directives(problems, job, machine);
  check_notice(problems, job);
  return problems;
}

std::vector<std::string> warnings_of(const JobSpec& job, const MachineProfile& machine) {
  std::vector<std::string> warnings;
  if (in_one_allocation(job, machine)) {
    warn_of_queues(warnings, job, allocation_of(job, machine), machine);
    return warnings;
  }
  for (const auto& set : job.node_sets) warn_of_queues(warnings, job, set, machine);
  if (job.node_sets.size() > 1 && machine.het_jobs == HetJobs::unsure) {
    warnings.push_back(fmt::format("nobody has tried a heterogeneous job on machine '{}'", machine.name));
  }
  return warnings;
}

}  // namespace slipway::slurm
