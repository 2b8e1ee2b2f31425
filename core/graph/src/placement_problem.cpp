// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "placement_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/graph/validate.hpp"

namespace slipway::detail {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

void check_machine(const Machine& machine) {
  if (machine.ranks.empty()) {
    throw UsageError("there are no ranks (a program needs at least one): start it with -n 1 or more");
  }
  for (std::size_t rank = 0; rank < machine.ranks.size(); ++rank) {
    const RankSlot& slot = machine.ranks[rank];
    if (slot.host.index() >= machine.hosts.size()) {
      throw UsageError(fmt::format("rank {} is on an unknown host (the machine has {} hosts): describe its host", rank,
                                   machine.hosts.size()));
    }
    if (!(slot.cpus > 0) || !std::isfinite(slot.cpus)) {
      throw UsageError(
          fmt::format("rank {} has {} cpus (load is shared out by cpus): give it more than 0", rank, slot.cpus));
    }
  }
}

std::vector<std::string> resource_kinds(const Graph& graph) {
  std::set<std::string> names;
  for (const Node& node : graph.nodes()) {
    for (const auto& [name, amount] : node.resources.named) names.insert(name);
  }
  std::vector<std::string> kinds{"gpus", "bytes of memory"};
  for (const std::string& name : names) kinds.push_back(name);
  return kinds;
}

double known_memory(std::uint64_t bytes) { return bytes == 0 ? unlimited : static_cast<double>(bytes); }

void describe_machine(PlacementProblem& problem) {
  const Machine& machine = problem.machine;
  problem.ranks_of_host.resize(machine.hosts.size());
  for (const Host& host : machine.hosts) problem.host_memory.push_back(known_memory(host.memory));
  std::vector<double> granted(machine.hosts.size());
  for (Index rank = 0; rank < problem.rank_count(); ++rank) {
    const RankSlot& slot = machine.ranks[rank];
    problem.ranks_of_host[slot.host.index()].push_back(rank);
    granted[slot.host.index()] += slot.cpus;
    std::vector<double> capacity{slot.gpus, known_memory(slot.memory)};
    for (std::size_t kind = 2; kind < problem.kinds.size(); ++kind) {
      const auto found = slot.named.find(problem.kinds[kind]);
      capacity.push_back(found == slot.named.end() ? 0 : found->second);
    }
    problem.capacity.push_back(std::move(capacity));
  }
  for (std::size_t host = 0; host < machine.hosts.size(); ++host) {
    const double cores = machine.hosts[host].cores;
    problem.host_cores.push_back(cores > 0 ? std::min(cores, granted[host]) : granted[host]);
  }
}

// Narrows the ranks of a unit to those that one of its nodes accepts.
void restrict_ranks(const PlacementProblem& problem, const Wishes& wishes, Unit& unit) {
  if (!wishes.on_rank && wishes.on_hosts.empty()) return;
  if (!unit.restricted) {
    unit.restricted = true;
    unit.ranks.resize(problem.rank_count());
    std::iota(unit.ranks.begin(), unit.ranks.end(), Index{0});
  }
  std::erase_if(unit.ranks, [&](Index rank) {
    if (wishes.on_rank && wishes.on_rank.value() != rank) return true;
    if (wishes.on_hosts.empty()) return false;
    return !matches_pattern(wishes.on_hosts, problem.machine.hosts[problem.host_of(rank)].name);
  });
}

void add_node(const PlacementProblem& problem, const Node& node, std::vector<double>& amounts, Unit& unit) {
  unit.cpus += node.resources.cpus;
  if (node.computes) unit.computing += node.resources.cpus;
  amounts[gpus_kind] += node.resources.gpus;
  amounts[memory_kind] += static_cast<double>(node.resources.memory);
  for (std::size_t kind = 2; kind < amounts.size(); ++kind) {
    const auto found = node.resources.named.find(problem.kinds[kind]);
    if (found != node.resources.named.end()) amounts[kind] += found->second;
  }
  if (node.wishes.spread && node.group) unit.spread_groups.push_back(node.group.value());
  unit.exclusive = unit.exclusive || node.wishes.exclusive;
  restrict_ranks(problem, node.wishes, unit);
}

// Returns the unit of each node.
std::vector<Index> describe_units(PlacementProblem& problem) {
  std::vector<Index> unit_of_node(problem.graph.nodes().size());
  problem.wanted.resize(problem.kinds.size());
  for (auto& set : colocated_sets(problem.graph)) {
    Unit unit;
    std::vector<double> amounts(problem.kinds.size());
    for (const NodeId id : set) {
      unit_of_node[id.index()] = problem.unit_count();
      add_node(problem, problem.graph.node(id), amounts, unit);
    }
    for (Index kind = 0; kind < amounts.size(); ++kind) {
      problem.wanted[kind] += amounts[kind];
      if (amounts[kind] > 0) unit.demands.push_back({kind, amounts[kind]});
    }
    unit.nodes = std::move(set);
    problem.units.push_back(std::move(unit));
  }
  return unit_of_node;
}

// Both directions of an edge, and all edges between two units, count as one.
void describe_traffic(PlacementProblem& problem, const std::vector<Index>& unit_of_node) {
  struct Link {
    Index from;
    Index to;
    double traffic;
  };
  std::vector<Link> links;
  for (const Edge& edge : problem.graph.edges()) {
    const Index from = unit_of_node[edge.from.index()];
    const Index to = unit_of_node[edge.to.index()];
    if (from == to || edge.traffic == 0) continue;
    links.push_back({from, to, edge.traffic});
    links.push_back({to, from, edge.traffic});
  }
  const auto ends = [](const Link& link) { return std::pair(link.from, link.to); };
  std::stable_sort(links.begin(), links.end(), [&](const Link& a, const Link& b) { return ends(a) < ends(b); });
  problem.first_neighbour.assign(problem.units.size() + 1, 0);
  for (std::size_t index = 0; index < links.size(); ++index) {
    if (index > 0 && ends(links[index]) == ends(links[index - 1])) {
      problem.neighbour_list.back().traffic += links[index].traffic;
      continue;
    }
    ++problem.first_neighbour[links[index].from + 1];
    problem.neighbour_list.push_back({links[index].to, links[index].traffic});
  }
  std::partial_sum(problem.first_neighbour.begin(), problem.first_neighbour.end(), problem.first_neighbour.begin());
}

void describe_balance(PlacementProblem& problem) {
  std::vector<double> cpus;
  std::vector<double> computing;
  std::vector<double> capacities;
  std::size_t exclusive = 0;
  for (const Unit& unit : problem.units) {
    if (unit.exclusive) {
      ++exclusive;
      continue;
    }
    cpus.push_back(unit.cpus);
    if (unit.computing > 0) computing.push_back(unit.computing);
  }
  for (const RankSlot& slot : problem.machine.ranks) capacities.push_back(slot.cpus);
  // Which ranks the exclusive units take is not known yet; the smallest are as good a guess as any.
  std::sort(capacities.begin(), capacities.end(), std::greater<>());
  capacities.resize(capacities.size() - std::min(capacities.size(), exclusive));
  problem.load_level = balance_level(cpus, capacities);
  problem.computing_level = balance_level(computing, capacities);
}

}  // namespace

BalanceLevel balance_level(std::vector<double> weights, std::vector<double> capacities) {
  std::sort(weights.begin(), weights.end(), std::greater<>());
  std::sort(capacities.begin(), capacities.end(), std::greater<>());
  double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  double capacity = std::accumulate(capacities.begin(), capacities.end(), 0.0);
  BalanceLevel level{0, unlimited};
  for (std::size_t heavy = 0; heavy < capacities.size(); ++heavy) {
    level.relative = weight / capacity;
    if (heavy == weights.size() || weights[heavy] <= capacities[heavy] * level.relative + load_tolerance) return level;
    level.heavy_above = std::nextafter(weights[heavy], 0.0);
    weight -= weights[heavy];
    capacity -= capacities[heavy];
  }
  if (weights.size() <= capacities.size()) level.relative = 0;
  return level;
}

PlacementProblem state_problem(const Graph& graph, const Machine& machine) {
  validate(graph);
  check_machine(machine);
  PlacementProblem problem(graph, machine);
  problem.kinds = resource_kinds(graph);
  describe_machine(problem);
  describe_traffic(problem, describe_units(problem));
  describe_balance(problem);
  const std::vector<std::string> impossible = find_impossible(problem);
  if (impossible.empty()) return problem;
  std::string text =
      fmt::format("program '{}' cannot be placed on {} rank{} of {} host{}:", graph.name(), machine.ranks.size(),
                  machine.ranks.size() == 1 ? "" : "s", machine.hosts.size(), machine.hosts.size() == 1 ? "" : "s");
  for (const std::string& sentence : impossible) text += "\n  - " + sentence;
  throw UsageError(text);
}

}  // namespace slipway::detail
