// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_capacity.hpp"

#include <algorithm>

#include "slipway/runtime/program.hpp"

namespace slipway::detail {

std::vector<RankCapacity> capacities_for_tasks(const RankSetup& setup, const Agreement& agreement) {
  std::vector<RankCapacity> capacities;
  std::vector<RankSlot> left = agreement.machine.ranks;
  const Graph& graph = setup.program->graph();
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    RankSlot& rank = left[agreement.placement.rank_of_node[node].index()];
    const Resources& taken = graph.nodes()[node].resources;
    rank.gpus = std::max(0.0, rank.gpus - taken.gpus);
    if (rank.memory > 0) rank.memory = std::max<std::uint64_t>(1, rank.memory - std::min(rank.memory, taken.memory));
    for (const auto& [name, amount] : taken.named) rank.named[name] -= amount;
  }
  for (const RankSlot& rank : left) {
    RankCapacity capacity;
    capacity.cpus = std::max(TaskAsks::unit, to_units(rank.cpus));
    capacity.gpus = to_units(rank.gpus);
    capacity.memory = rank.memory;
    for (const auto& [name, amount] : rank.named) capacity.named.emplace_back(name, to_units(std::max(0.0, amount)));
    capacities.push_back(std::move(capacity));
  }
  return capacities;
}

}  // namespace slipway::detail
