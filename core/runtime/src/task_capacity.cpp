// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_capacity.hpp"

#include <algorithm>
#include <cmath>

#include "slipway/runtime/program.hpp"

namespace slipway::detail {

std::vector<RankCapacity> capacities_for_tasks(const RankSetup& setup, const Agreement& agreement) {
  std::vector<RankCapacity> capacities;
  std::vector<RankSlot> left = agreement.machine.ranks;
  std::vector<double> gpus_of_nodes(left.size());
  const Graph& graph = setup.program->graph();
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    RankSlot& rank = left[agreement.placement.rank_of_node[node].index()];
    const Resources& taken = graph.nodes()[node].resources;
    gpus_of_nodes[agreement.placement.rank_of_node[node].index()] += taken.gpus;
    if (rank.memory > 0) rank.memory = std::max<std::uint64_t>(1, rank.memory - std::min(rank.memory, taken.memory));
    for (const auto& [name, amount] : taken.named) rank.named[name] -= amount;
  }
  for (std::size_t index = 0; index < left.size(); ++index) {
    const RankSlot& rank = left[index];
    const double whole = std::ceil(gpus_of_nodes[index] - 1e-9);  // a device that a node has a part of is not for tasks
    RankCapacity capacity;
    capacity.cpus = std::max(TaskAsks::unit, to_units(rank.cpus));
    capacity.gpus = to_units(std::max(0.0, std::floor(rank.gpus) - whole));
    capacity.first_gpu = static_cast<std::uint32_t>(whole);
    capacity.memory = rank.memory;
    for (const auto& [name, amount] : rank.named) capacity.named.emplace_back(name, to_units(std::max(0.0, amount)));
    capacities.push_back(std::move(capacity));
  }
  return capacities;
}

}  // namespace slipway::detail
