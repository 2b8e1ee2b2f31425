// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "assignment.hpp"
#include "growth.hpp"
#include "refinement.hpp"
#include "seating.hpp"
#include "slipway/base/error.hpp"
#include "slipway/graph/validate.hpp"

namespace slipway {

namespace {

using detail::Assignment;
using detail::Index;
using detail::PlacementProblem;
using detail::Seating;
using detail::Unit;

// Larger graphs are dealt out only where growing found no place for a node: it takes longer and is rarely better.
constexpr std::size_t most_units_to_deal = 512;

struct Attempt {
  std::optional<Assignment> assignment;
  std::string failure;
};

// Every unit for itself, the hardest first: finds a place for all if anything here does.
Attempt deal(const PlacementProblem& problem) {
  Assignment assignment(problem);
  Seating seating(assignment);
  std::vector<Index> units(problem.units.size());
  for (Index unit = 0; unit < units.size(); ++unit) units[unit] = unit;
  if (!seating.place_all(units)) return {std::nullopt, seating.failure()};
  return {std::move(assignment), ""};
}

// Units with wishes and those too large to share first, then regions of much traffic, then what is left over.
Attempt grow_regions(const PlacementProblem& problem) {
  Assignment assignment(problem);
  Seating seating(assignment);
  const auto place_those = [&](auto wanted) {
    std::vector<Index> units;
    for (Index unit = 0; unit < problem.unit_count(); ++unit) {
      if (!assignment.placed(unit) && wanted(problem.units[unit])) units.push_back(unit);
    }
    return seating.place_all(std::move(units));
  };
  const auto has_wish = [](const Unit& unit) {
    return unit.exclusive || unit.restricted || !unit.spread_groups.empty();
  };
  const auto is_heavy = [&](const Unit& unit) {
    return unit.cpus > problem.load_level.heavy_above || unit.computing > problem.computing_level.heavy_above;
  };
  if (!place_those(has_wish) || !place_those(is_heavy)) return {std::nullopt, seating.failure()};
  detail::grow(assignment);
  if (!place_those([](const Unit& unit) { return unit.computing > 0; }) ||
      !place_those([](const Unit&) { return true; })) {
    return {std::nullopt, seating.failure()};
  }
  return {std::move(assignment), ""};
}

struct Quality {
  double computing = 0;  // largest relative load of a rank, by nodes that compute
  double load = 0;       // by all nodes
  double cost = 0;
};

Quality quality_of(const Assignment& assignment) {
  Quality quality{.cost = detail::total_cost(assignment)};
  for (Index rank = 0; rank < assignment.problem().rank_count(); ++rank) {
    quality.computing = std::max(quality.computing, assignment.relative_computing(rank));
    quality.load = std::max(quality.load, assignment.relative_load(rank));
  }
  return quality;
}

// Clearly better balanced, or as good and with less traffic.
bool better(const Quality& one, const Quality& other) {
  constexpr double clearly = 1.1;
  if (one.computing * clearly < other.computing) return true;
  if (other.computing * clearly < one.computing) return false;
  if (one.load * clearly < other.load) return true;
  if (other.load * clearly < one.load) return false;
  return one.cost < other.cost;
}

void count_load(const Graph& graph, Placement& placement, std::size_t ranks) {
  placement.load.resize(ranks);
  std::vector<bool> busy(ranks);
  for (std::size_t index = 0; index < graph.nodes().size(); ++index) {
    const Node& node = graph.nodes()[index];
    const std::size_t rank = placement.rank_of_node[index].index();
    busy[rank] = true;
    placement.load[rank].cpus += node.resources.cpus;
    if (node.computes) placement.load[rank].computing += node.resources.cpus;
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (!busy[rank]) placement.idle_ranks.push_back(RankId(rank));
  }
}

Placement to_placement(const Assignment& assignment) {
  const PlacementProblem& problem = assignment.problem();
  Placement placement;
  placement.rank_of_node.resize(problem.graph.nodes().size());
  for (Index unit = 0; unit < problem.unit_count(); ++unit) {
    for (const NodeId id : problem.units[unit].nodes) {
      placement.rank_of_node[id.index()] = RankId(assignment.rank_of(unit));
    }
  }
  count_load(problem.graph, placement, problem.rank_count());
  return placement;
}

}  // namespace

Placement place(const Graph& graph, const Machine& machine) {
  const PlacementProblem problem = detail::state_problem(graph, machine);
  std::optional<Assignment> best;
  const auto try_out = [&](Attempt attempt) {
    if (!attempt.assignment) return;
    detail::refine(*attempt.assignment);
    if (!best || better(quality_of(*attempt.assignment), quality_of(*best)))
      best.emplace(*std::move(attempt.assignment));
  };
  try_out(grow_regions(problem));
  std::string failure;
  if (!best || problem.units.size() <= most_units_to_deal) {
    Attempt dealt = deal(problem);
    failure = dealt.failure;
    try_out(std::move(dealt));
  }
  if (!best) throw UsageError(fmt::format("program '{}' cannot be placed: {}", graph.name(), failure));
  return to_placement(*best);
}

Placement place_round_robin(const Graph& graph, const Machine& machine) {
  Placement placement;
  for (std::size_t index = 0; index < graph.nodes().size(); ++index) {
    placement.rank_of_node.push_back(RankId(static_cast<Index>(index % machine.ranks.size())));
  }
  count_load(graph, placement, machine.ranks.size());
  return placement;
}

std::size_t wanted_ranks(const Graph& graph, std::size_t usable_cores) {
  const auto sets = colocated_sets(graph);
  std::size_t exclusive = 0;
  std::size_t highest = 0;
  for (const Node& node : graph.nodes()) {
    if (node.wishes.exclusive) ++exclusive;
    if (node.wishes.on_rank) highest = std::max(highest, node.wishes.on_rank.index() + 1);
  }
  const std::size_t needed = exclusive + (exclusive > 0 && exclusive < sets.size() ? 1 : 0);
  return std::max({std::size_t{1}, std::min(sets.size(), usable_cores), needed, highest});
}

Machine uniform_machine(std::size_t hosts, std::size_t ranks_per_host, double cores_per_host) {
  Machine machine;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    machine.hosts.push_back({.name = "host" + std::to_string(host), .cores = cores_per_host});
    for (std::size_t rank = 0; rank < ranks_per_host; ++rank) {
      machine.ranks.push_back({.host = HostId(host), .cpus = cores_per_host / static_cast<double>(ranks_per_host)});
    }
  }
  return machine;
}

double total_traffic(const Graph& graph) {
  double sum = 0;
  for (const Edge& edge : graph.edges()) sum += edge.traffic;
  return sum;
}

double traffic_between_ranks(const Graph& graph, const Placement& placement) {
  double sum = 0;
  for (const Edge& edge : graph.edges()) {
    if (placement.rank_of_node[edge.from.index()] != placement.rank_of_node[edge.to.index()]) sum += edge.traffic;
  }
  return sum;
}

double traffic_between_hosts(const Graph& graph, const Machine& machine, const Placement& placement) {
  const auto host_of = [&](NodeId node) { return machine.ranks[placement.rank_of_node[node.index()].index()].host; };
  double sum = 0;
  for (const Edge& edge : graph.edges()) {
    if (host_of(edge.from) != host_of(edge.to)) sum += edge.traffic;
  }
  return sum;
}

std::vector<std::vector<NodeId>> nodes_of_ranks(const Placement& placement, std::size_t ranks) {
  std::vector<std::vector<NodeId>> nodes(ranks);
  for (std::uint32_t index = 0; index < placement.rank_of_node.size(); ++index) {
    nodes[placement.rank_of_node[index].index()].push_back(NodeId(index));
  }
  return nodes;
}

std::vector<RankId> overloaded_ranks(const Machine& machine, const Placement& placement) {
  std::vector<RankId> overloaded;
  for (std::uint32_t rank = 0; rank < machine.ranks.size(); ++rank) {
    if (placement.load[rank].computing > machine.ranks[rank].cpus + detail::load_tolerance) {
      overloaded.push_back(RankId(rank));
    }
  }
  return overloaded;
}

}  // namespace slipway
