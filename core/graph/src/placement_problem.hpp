// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "slipway/graph/placement.hpp"

// The question that place() answers, in the form that its phases work on. Ranks, hosts and units are plain indices
// here.
namespace slipway::detail {

using Index = std::uint32_t;
inline constexpr Index nowhere = std::numeric_limits<Index>::max();

// Cost of one unit of traffic by the distance of its ends: none on one rank. Measured round trips differ by more, but a
// larger factor only makes the search give up ranks for hosts.
inline constexpr double same_host_cost = 1;
inline constexpr double other_host_cost = 4;

// Sums of cpus differ in their last bits with the order of additions.
inline constexpr double load_tolerance = 1e-9;

struct Demand {
  Index kind;  // of PlacementProblem::kinds
  double amount;
};

// Nodes that share a rank by wish, most often one node: what is placed as a whole.
struct Unit {
  std::vector<NodeId> nodes;
  double cpus = 0;
  double computing = 0;  // cpus of the nodes that compute
  std::vector<Demand> demands;
  std::vector<Index> spread_groups;
  bool exclusive = false;
  bool restricted = false;
  std::vector<Index> ranks;  // where it may be, ascending; meaningful only if restricted
};

struct Neighbour {
  Index unit;
  double traffic;
};

// The even load of each rank relative to its cpus, after those units that exceed it by themselves took a rank each.
struct BalanceLevel {
  double relative = 0;
  double heavy_above = 0;  // cpus; a unit with more is one of those
};

struct PlacementProblem {
  PlacementProblem(const Graph& the_graph, const Machine& the_machine) : graph(the_graph), machine(the_machine) {}

  const Graph& graph;
  const Machine& machine;

  std::vector<std::string> kinds;             // resources that are never overdrawn: gpus, memory, then the named ones
  std::vector<std::vector<double>> capacity;  // [rank][kind]; infinite where unknown
  std::vector<double> wanted;                 // [kind]; by all nodes together
  std::vector<double> host_memory;            // infinite where unknown
  std::vector<double> host_cores;
  std::vector<std::vector<Index>> ranks_of_host;

  std::vector<Unit> units;
  std::vector<std::size_t> first_neighbour;  // of each unit, and the end
  std::vector<Neighbour> neighbour_list;
  BalanceLevel load_level;
  BalanceLevel computing_level;

  Index rank_count() const { return static_cast<Index>(machine.ranks.size()); }
  Index unit_count() const { return static_cast<Index>(units.size()); }
  Index host_of(Index rank) const { return machine.ranks[rank].host.value(); }
  double cpus_of(Index rank) const { return machine.ranks[rank].cpus; }
  std::span<const Neighbour> neighbours(Index unit) const {
    return std::span(neighbour_list).subspan(first_neighbour[unit], first_neighbour[unit + 1] - first_neighbour[unit]);
  }
  std::string kind_name(Index kind) const { return kind < 2 ? kinds[kind] : "'" + kinds[kind] + "'"; }
  std::string name_of(Index unit) const { return "'" + graph.node(units[unit].nodes.front()).label + "'"; }
};

inline constexpr Index gpus_kind = 0;
inline constexpr Index memory_kind = 1;

// Throws UsageError for a malformed machine, and for what no search could place, all at once.
PlacementProblem state_problem(const Graph& graph, const Machine& machine);

// Wishes and resources that this machine cannot give whatever the rest of the placement is, one sentence each.
std::vector<std::string> find_impossible(const PlacementProblem& problem);

BalanceLevel balance_level(std::vector<double> weights, std::vector<double> capacities);

}  // namespace slipway::detail
