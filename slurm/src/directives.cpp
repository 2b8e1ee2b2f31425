// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "directives.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "one_allocation.hpp"
#include "queues.hpp"
#include "slipway/base/error.hpp"
#include "slipway/slurm/amounts.hpp"

namespace slipway::slurm {

namespace {

class DirectiveList {
 public:
  void add(std::string name, std::string value) {
    if (!value.empty()) list_.push_back({std::move(name), std::move(value)});
  }
  void add(std::string name, std::uint64_t value) { list_.push_back({std::move(name), std::to_string(value)}); }
  void add_alone(std::string name) { list_.push_back({std::move(name), {}, true}); }
  std::vector<Directive> take() { return std::move(list_); }

 private:
  std::vector<Directive> list_;
};

const std::string& first_said(const std::string& asked, const std::string& of_nodes) {
  return asked.empty() ? of_nodes : asked;
}

std::string account_for(const JobSpec& job, const NodeType& type) {
  const std::string& suffix = type.account_suffix;
  if (job.account.empty() || suffix.empty() || job.account.ends_with(suffix)) return job.account;
  return job.account + suffix;
}

void add_gpus(DirectiveList& list, const NodeSet& set, const MachineProfile& machine) {
  if (set.gpus_per_node == 0) return;
  switch (machine.gpu_request) {
    case GpuRequest::none:
      return;
    case GpuRequest::gpus_per_node:
      return list.add("gpus-per-node", set.gpus_per_node);
    case GpuRequest::gres:
      return list.add("gres", fmt::format("gpu:{}", set.gpus_per_node));
    case GpuRequest::gpus_per_task:
      return list.add("gpus-per-task", set.gpus_per_node / set.ranks_per_node);
    case GpuRequest::gpus:
      return list.add("gpus", std::uint64_t{set.gpus_per_node} * set.nodes);
  }
}

// Of each CPU as Slurm counts them, so that those of a node's ranks have all of it.
std::uint64_t memory_per_cpu(const NodeSet& set, const MemoryPolicy& policy, const MachineProfile& machine) {
  const std::uint64_t cores = std::uint64_t{set.ranks_per_node} * set.cores_per_rank;
  const std::uint64_t cpus = std::uint64_t{set.ranks_per_node} * cpus_per_rank(set, machine);
  const std::uint64_t of_node = set.memory_mib > 0 ? set.memory_mib : policy.mib_per_core * cores;
  return (of_node + cpus - 1) / cpus;
}

void add_memory(DirectiveList& list, const JobSpec& job, const NodeSet& set, const MachineProfile& machine) {
  const NodeType& type = machine.node_type(set.node_type);
  const MemoryPolicy policy = memory_policy(queues_of(job.partition, job.qos, type, machine), machine);
  if (policy.request == MemoryRequest::never) return;
  if (set.all_memory) return list.add("mem", "0");
  if (policy.request == MemoryRequest::per_core) {
    return list.add("mem-per-cpu", format_memory(memory_per_cpu(set, policy, machine)));
  }
  if (set.memory_mib > 0) return list.add("mem", format_memory(set.memory_mib));
  if (policy.request == MemoryRequest::all) return list.add("mem", "0");
  const bool named = policy.request == MemoryRequest::explicit_amount && type.memory_mib > 0;
  if (named) list.add("mem", format_memory(type.memory_mib));
}

// What belongs to a component.
void add_nodes(DirectiveList& list, const JobSpec& job, const NodeSet& set, const MachineProfile& machine) {
  const NodeType& type = machine.node_type(set.node_type);
  list.add("account", account_for(job, type));
  list.add("partition", first_said(job.partition, type.partition));
  list.add("qos", first_said(job.qos, type.qos));
  list.add("constraint", first_said(job.constraint, type.constraint));
  list.add("nodes", set.nodes);
  list.add("ntasks-per-node", set.ranks_per_node);
  if (machine.cpus_per_task) list.add("cpus-per-task", cpus_per_rank(set, machine));
  add_gpus(list, set, machine);
  add_memory(list, job, set, machine);
  list.add("hint", machine.hint);
  const bool asks = job.exclusive.value_or(machine.exclusive == Exclusive::always_ask);
  if (asks && machine.exclusive != Exclusive::by_site) list.add_alone("exclusive");
}

std::string log_pattern(const JobSpec& job) {
  if (job.run_directory.empty()) return job.array.empty() ? "%x-%j.out" : "%x-%A_%a.out";
  std::string directory;  // '%' would begin one of Slurm's own words
  for (const char letter : job.run_directory) directory += letter == '%' ? std::string("%%") : std::string(1, letter);
  return directory + (job.array.empty() ? "/slurm-%j.out" : "/slurm-%A_%a.out");
}

// What belongs to the whole job.
void add_job(DirectiveList& list, const JobSpec& job) {
  list.add("reservation", job.reservation);
  if (job.time.count() > 0) list.add("time", format_wall_time(job.time));
  list.add("begin", job.begin);
  list.add("deadline", job.deadline);
  list.add("dependency", job.dependency);
  if (!job.dependency.empty()) list.add("kill-on-invalid-dep", "yes");
  list.add("array", job.array);
  if (job.hold) list.add_alone("hold");
  list.add("mail-type", job.mail_type);
  list.add("mail-user", job.mail_user);
  list.add("comment", job.comment);
  list.add("licenses", job.licenses);
  list.add("network", job.network);
  list.add("exclude", job.exclude);
  list.add("nodelist", job.node_list);
  list.add("distribution", job.distribution);
  list.add("chdir", job.working_directory);
  list.add("output", log_pattern(job));
  list.add("open-mode", "append");
  const NoticePolicy& notice = job.notice;
  if (notice.margin.count() > 0) {
    list.add("signal", fmt::format("B:{}@{}", notice.signal, notice.margin.count()));
  }
  list.add_alone(notice.most_restarts > 0 || notice.requeue_on_node_failure ? "requeue" : "no-requeue");
}

bool plain(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         std::string_view("-_=+./:,@%&|()[]*!~").find(letter) != std::string_view::npos;
}

}  // namespace

std::uint32_t cpus_per_rank(const NodeSet& set, const MachineProfile& machine) {
  const bool threads = machine.cpu_unit == CpuUnit::thread;
  return set.cores_per_rank * (threads ? machine.node_type(set.node_type).threads_per_core : 1);
}

Launcher launcher_of(const JobSpec& job, const MachineProfile& machine) {
  if (!job.launcher) return machine.launcher;
  for (const Launcher launcher : {Launcher::srun, Launcher::mpirun, Launcher::ibrun}) {
    if (to_string(launcher) == *job.launcher) return launcher;
  }
  throw UsageError("there is no launcher '" + *job.launcher + "'; use srun, mpirun or ibrun");
}

std::vector<std::vector<Directive>> directives_of(const JobSpec& job, const MachineProfile& machine) {
  std::vector<std::vector<Directive>> components;
  std::vector<NodeSet> sets = job.node_sets;
  if (in_one_allocation(job, machine)) sets = {allocation_of(job, machine)};
  for (const auto& set : sets) {
    DirectiveList list;
    const bool first = components.empty();
    if (first) list.add("job-name", job.name);
    add_nodes(list, job, set, machine);
    if (first) add_job(list, job);
    components.push_back(list.take());
  }
  return components;
}

// sbatch takes blanks, quotes and '#' in a line only between double quotes.
std::string to_text(const Directive& directive) {
  std::string text = "--" + directive.name;
  if (directive.alone) return text;
  text += '=';
  if (std::all_of(directive.value.begin(), directive.value.end(), plain)) return text + directive.value;
  text += '"';
  for (const char letter : directive.value) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

}  // namespace slipway::slurm
