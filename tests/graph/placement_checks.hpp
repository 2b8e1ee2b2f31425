// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "slipway/graph/placement.hpp"
#include "slipway/graph/validate.hpp"

// What must hold of every placement, checked from scratch.
namespace slipway::checks {

inline void expect_wish_holds(const Graph& graph, const Machine& machine, const Placement& placement,
                              std::size_t index) {
  const Node& node = graph.nodes()[index];
  const RankId rank = placement.rank_of_node[index];
  const HostId host = machine.ranks[rank.index()].host;
  if (node.wishes.on_rank) {
    EXPECT_EQ(rank, node.wishes.on_rank) << node.label;
  }
  if (!node.wishes.on_hosts.empty()) {
    EXPECT_TRUE(matches_pattern(node.wishes.on_hosts, machine.hosts[host.index()].name)) << node.label;
  }
  if (const NodeId partner = colocation_partner(graph, node)) {
    EXPECT_EQ(rank, placement.rank_of_node[partner.index()]) << node.label;
  }
  for (std::size_t other = 0; other < graph.nodes().size(); ++other) {
    if (other == index) continue;
    const RankId other_rank = placement.rank_of_node[other];
    if (node.wishes.exclusive) {
      EXPECT_NE(rank, other_rank) << node.label;
    }
    if (node.wishes.spread && graph.nodes()[other].group == node.group) {
      EXPECT_NE(host, machine.ranks[other_rank.index()].host) << node.label;
    }
  }
}

inline void expect_resources_hold(const Graph& graph, const Machine& machine, const Placement& placement) {
  struct Used {
    double gpus = 0;
    double memory = 0;
    std::map<std::string, double> named;
  };
  std::vector<Used> used(machine.ranks.size());
  std::vector<double> host_memory(machine.hosts.size());
  for (std::size_t index = 0; index < graph.nodes().size(); ++index) {
    const Resources& resources = graph.nodes()[index].resources;
    const std::size_t rank = placement.rank_of_node[index].index();
    used[rank].gpus += resources.gpus;
    used[rank].memory += static_cast<double>(resources.memory);
    host_memory[machine.ranks[rank].host.index()] += static_cast<double>(resources.memory);
    for (const auto& [name, amount] : resources.named) used[rank].named[name] += amount;
  }
  for (std::size_t rank = 0; rank < machine.ranks.size(); ++rank) {
    const RankSlot& slot = machine.ranks[rank];
    EXPECT_LE(used[rank].gpus, slot.gpus + 1e-6) << "rank " << rank;
    if (slot.memory > 0) {
      EXPECT_LE(used[rank].memory, static_cast<double>(slot.memory)) << "rank " << rank;
    }
    for (const auto& [name, amount] : used[rank].named) {
      EXPECT_LE(amount, slot.named.contains(name) ? slot.named.at(name) + 1e-6 : 0) << "rank " << rank;
    }
  }
  for (std::size_t host = 0; host < machine.hosts.size(); ++host) {
    if (machine.hosts[host].memory > 0) {
      EXPECT_LE(host_memory[host], static_cast<double>(machine.hosts[host].memory)) << "host " << host;
    }
  }
}

inline void expect_sound(const Graph& graph, const Machine& machine, const Placement& placement) {
  ASSERT_EQ(placement.rank_of_node.size(), graph.nodes().size());
  ASSERT_EQ(placement.load.size(), machine.ranks.size());
  std::set<RankId> busy;
  double cpus = 0;
  for (std::size_t index = 0; index < graph.nodes().size(); ++index) {
    ASSERT_LT(placement.rank_of_node[index].index(), machine.ranks.size());
    busy.insert(placement.rank_of_node[index]);
    cpus += graph.nodes()[index].resources.cpus;
  }
  for (std::size_t index = 0; index < graph.nodes().size(); ++index)
    expect_wish_holds(graph, machine, placement, index);
  expect_resources_hold(graph, machine, placement);
  EXPECT_EQ(busy.size() + placement.idle_ranks.size(), machine.ranks.size());
  for (const RankId rank : placement.idle_ranks) EXPECT_FALSE(busy.contains(rank));
  for (const RankLoad& load : placement.load) cpus -= load.cpus;
  EXPECT_NEAR(cpus, 0, 1e-6);
}

}  // namespace slipway::checks
