// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "queue_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "queues.hpp"
#include "slipway/slurm/amounts.hpp"

namespace slipway::slurm {

namespace {

struct Kind {
  std::string_view name;     // for people, and the option
  std::string_view section;  // of the profile
};
constexpr Kind partition_kind{"partition", "partitions"};
constexpr Kind quality_kind{"qos", "qualities"};

QueuesOfJob queues_of(const JobSpec& job, const NodeSet& set, const MachineProfile& machine) {
  return queues_of(job.partition, job.qos, machine.node_type(set.node_type), machine);
}

bool holds(const TimeBin& bin, std::uint32_t nodes) { return bin.most_nodes == 0 || nodes <= bin.most_nodes; }

std::string nodes_of(const std::vector<TimeBin>& bins, std::vector<TimeBin>::const_iterator bin) {
  const std::uint32_t least = bin == bins.begin() ? 1 : std::prev(bin)->most_nodes + 1;
  return bin->most_nodes == 0 ? fmt::format("{} or more", least) : fmt::format("{} to {}", least, bin->most_nodes);
}

// Empty where the queue's time does not depend on nodes, or is long enough.
std::string time_problem(const Kind& kind, const Queue& queue, const JobSpec& job, const NodeSet& set,
                         const MachineProfile& machine) {
  const auto& bins = queue.time_by_nodes;
  if (bins.empty()) return {};
  const auto bin = std::find_if(bins.begin(), bins.end(), [&set](const TimeBin& one) { return holds(one, set.nodes); });
  if (bin == bins.end()) {
    return fmt::format("{} nodes are too many ({} '{}' of machine '{}' takes jobs on up to {}); take fewer", set.nodes,
                       kind.name, queue.name, machine.name, bins.back().most_nodes);
  }
  if (job.time <= bin->most_time) return {};
  const auto longer = std::find_if(bin, bins.end(), [&job](const TimeBin& one) { return job.time <= one.most_time; });
  const std::string or_more_nodes =
      longer == bins.end() ? "" : fmt::format(", or {} nodes", std::prev(longer)->most_nodes + 1);
  return fmt::format(
      "{} are too long for {} node{} ({} '{}' of machine '{}' gives jobs on {} nodes up to {}); take {}{}",
      format_wall_time(job.time), set.nodes, set.nodes == 1 ? "" : "s", kind.name, queue.name, machine.name,
      nodes_of(bins, bin), format_wall_time(bin->most_time), format_wall_time(bin->most_time), or_more_nodes);
}

// A rule that the profile is unsure of must not keep a job from the scheduler, which knows.
std::string time_text(const Kind& kind, const Queue* queue, const JobSpec& job, const NodeSet& set,
                      const MachineProfile& machine, bool unsure) {
  if (!queue) return {};
  const std::string field = fmt::format("{}.{}.time_by_nodes", kind.section, queue->name);
  if (machine.is_unsure_of(field) != unsure) return {};
  return time_problem(kind, *queue, job, set, machine);
}

void check_memory(std::vector<std::string>& problems, const MemoryPolicy& policy, const NodeSet& set,
                  const MachineProfile& machine) {
  if (policy.request != MemoryRequest::never || (set.memory_mib == 0 && !set.all_memory)) return;
  std::string comes;
  std::string instead = "leave --memory out";
  if (policy.mib_per_core > 0) {
    comes = fmt::format(", which come with {} MiB each", policy.mib_per_core);
    const std::uint64_t cores = (set.memory_mib + policy.mib_per_core - 1) / policy.mib_per_core;
    if (set.memory_mib > 0) instead += fmt::format(" and take {} cores a node", cores);
  }
  problems.push_back(fmt::format("memory cannot be asked for ({} of machine '{}' gives it with the cores{}); {}",
                                 policy.of, machine.name, comes, instead));
}

void warn_of_memory(std::vector<std::string>& warnings, const MemoryPolicy& policy, const NodeSet& set) {
  const std::uint64_t cores = std::uint64_t{set.ranks_per_node} * set.cores_per_rank;
  const bool more = policy.request == MemoryRequest::per_core && set.memory_mib > policy.mib_per_core * cores;
  if (!more) return;
  warnings.push_back(
      fmt::format("{} MiB for {} cores a node are more than {} gives with them ({} MiB each): the site "
                  "may charge more cores",
                  set.memory_mib, cores, policy.of, policy.mib_per_core));
}

void warn_of_limits(std::vector<std::string>& warnings, const Kind& kind, const Queue* queue, const JobSpec& job,
                    const NodeSet& set) {
  if (!queue) return;
  if (queue->most_time.count() > 0 && job.time > queue->most_time) {
    warnings.push_back(fmt::format("{} '{}' ran jobs of up to {} when this was written, this one wants {}", kind.name,
                                   queue->name, format_wall_time(queue->most_time), format_wall_time(job.time)));
  }
  if (queue->most_nodes > 0 && set.nodes > queue->most_nodes) {
    warnings.push_back(fmt::format("{} '{}' ran jobs on up to {} nodes when this was written, this one wants {}",
                                   kind.name, queue->name, queue->most_nodes, set.nodes));
  }
}

void add_times(std::vector<std::string>& texts, const JobSpec& job, const NodeSet& set, const MachineProfile& machine,
               bool unsure) {
  const QueuesOfJob queues = queues_of(job, set, machine);
  for (const auto& [kind, queue] : {std::pair{partition_kind, queues.partition}, {quality_kind, queues.quality}}) {
    std::string text = time_text(kind, queue, job, set, machine, unsure);
    if (!text.empty()) texts.push_back(std::move(text));
  }
}

}  // namespace

void check_queues(std::vector<std::string>& problems, const JobSpec& job, const NodeSet& set,
                  const MachineProfile& machine) {
  add_times(problems, job, set, machine, false);
  check_memory(problems, memory_policy(queues_of(job, set, machine), machine), set, machine);
}

void warn_of_queues(std::vector<std::string>& warnings, const JobSpec& job, const NodeSet& set,
                    const MachineProfile& machine) {
  const QueuesOfJob queues = queues_of(job, set, machine);
  warn_of_limits(warnings, partition_kind, queues.partition, job, set);
  warn_of_limits(warnings, quality_kind, queues.quality, job, set);
  add_times(warnings, job, set, machine, true);
  warn_of_memory(warnings, memory_policy(queues, machine), set);
}

}  // namespace slipway::slurm
