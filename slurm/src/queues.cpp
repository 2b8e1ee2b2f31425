// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "queues.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace slipway::slurm {

namespace {

const Queue* find_queue(const std::vector<Queue>& queues, const std::string& asked, const std::string& of_nodes) {
  const std::string& name = asked.empty() ? of_nodes : asked;
  const auto found = std::find_if(queues.begin(), queues.end(), [&name](const Queue& queue) {
    return name.empty() ? queue.is_default : queue.name == name;
  });
  return found == queues.end() ? nullptr : &*found;
}

}  // namespace

QueuesOfJob queues_of(const std::string& partition, const std::string& qos, const NodeType& type,
                      const MachineProfile& machine) {
  return {find_queue(machine.partitions, partition, type.partition), find_queue(machine.qualities, qos, type.qos)};
}

MemoryPolicy memory_policy(const QueuesOfJob& queues, const MachineProfile& machine) {
  const auto of_queue = [](std::string_view kind, const Queue& queue) {
    return MemoryPolicy{*queue.memory, queue.memory_mib_per_core, fmt::format("{} '{}'", kind, queue.name)};
  };
  if (queues.partition && queues.partition->memory) return of_queue("partition", *queues.partition);
  if (queues.quality && queues.quality->memory) return of_queue("qos", *queues.quality);
  return {machine.memory, 0, {}};
}

}  // namespace slipway::slurm
