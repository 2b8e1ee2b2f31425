// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placement_problem.hpp"

// What can be told without a search: each sentence names the node, the wish, why it cannot hold, and a way out.
namespace slipway::detail {

namespace {

using Sentences = std::vector<std::string>;

std::string host_names(const Machine& machine) {
  constexpr std::size_t most_named = 8;
  std::string text;
  for (std::size_t host = 0; host < std::min(machine.hosts.size(), most_named); ++host) {
    text += (host == 0 ? "" : ", ") + machine.hosts[host].name;
  }
  return machine.hosts.size() > most_named ? text + ", ..." : text;
}

bool any_rank_matches(const PlacementProblem& problem, const std::string& pattern) {
  return std::any_of(problem.machine.ranks.begin(), problem.machine.ranks.end(), [&](const RankSlot& slot) {
    return matches_pattern(pattern, problem.machine.hosts[slot.host.index()].name);
  });
}

// Each wish alone; true if one failed.
bool find_bad_wish(const PlacementProblem& problem, const Node& node, Sentences& sentences) {
  const Wishes& wishes = node.wishes;
  const std::size_t before = sentences.size();
  if (wishes.on_rank && wishes.on_rank.value() >= problem.rank_count()) {
    sentences.push_back(
        fmt::format("node '{}' wishes to be on rank {} (there are {} ranks, counted from 0): start more "
                    "ranks or change on_rank",
                    node.label, wishes.on_rank.value(), problem.rank_count()));
  }
  if (!wishes.on_hosts.empty() && !any_rank_matches(problem, wishes.on_hosts)) {
    sentences.push_back(fmt::format(
        "node '{}' wishes to be on hosts '{}' (no host with a rank matches; there are: {}): change on_hosts "
        "or run on other hosts",
        node.label, wishes.on_hosts, host_names(problem.machine)));
  }
  return sentences.size() > before;
}

std::string wishes_of(const Node& node) {
  std::string text;
  if (node.wishes.on_rank) text += fmt::format("rank {}", node.wishes.on_rank.value());
  if (!node.wishes.on_hosts.empty()) {
    text += fmt::format("{}hosts '{}'", text.empty() ? "" : " and ", node.wishes.on_hosts);
  }
  return text;
}

void find_contradiction(const PlacementProblem& problem, const Unit& unit, Sentences& sentences) {
  bool bad_wish = false;
  for (const NodeId id : unit.nodes) bad_wish = find_bad_wish(problem, problem.graph.node(id), sentences) || bad_wish;
  if (bad_wish || !unit.restricted || !unit.ranks.empty()) return;
  std::string wishes;
  for (const NodeId id : unit.nodes) {
    const Node& node = problem.graph.node(id);
    const std::string wished = wishes_of(node);
    if (!wished.empty()) wishes += fmt::format("{}'{}' wishes {}", wishes.empty() ? "" : ", ", node.label, wished);
  }
  const char* sharing =
      unit.nodes.size() > 1 ? "they share a rank by colocate_with, but no rank is all of this" : "no rank is both";
  sentences.push_back(fmt::format("node {} ({}): remove one of the wishes", wishes, sharing));
}

std::string node_names(const PlacementProblem& problem, const Unit& unit) {
  std::string text = unit.nodes.size() > 1 ? "nodes" : "node";
  constexpr std::size_t most_named = 4;
  for (std::size_t index = 0; index < std::min(unit.nodes.size(), most_named); ++index) {
    text += fmt::format("{} '{}'", index == 0 ? "" : ",", problem.graph.node(unit.nodes[index]).label);
  }
  return unit.nodes.size() > most_named ? text + ", ..." : text;
}

void find_too_large(const PlacementProblem& problem, const Unit& unit, Sentences& sentences) {
  for (const Demand& demand : unit.demands) {
    double largest = 0;
    const auto look_at = [&](Index rank) {
      double capacity = problem.capacity[rank][demand.kind];
      if (demand.kind == memory_kind) capacity = std::min(capacity, problem.host_memory[problem.host_of(rank)]);
      largest = std::max(largest, capacity);
    };
    if (unit.restricted) {
      std::for_each(unit.ranks.begin(), unit.ranks.end(), look_at);
    } else {
      for (Index rank = 0; rank < problem.rank_count(); ++rank) look_at(rank);
    }
    if (largest >= demand.amount || (unit.restricted && unit.ranks.empty())) continue;
    sentences.push_back(
        fmt::format("{} {} {} {} on one rank ({} has {}): ask for less, or give ranks more", node_names(problem, unit),
                    unit.nodes.size() > 1 ? "together need" : "needs", demand.amount, problem.kind_name(demand.kind),
                    unit.restricted ? "the best of the ranks allowed by its wishes" : "the best rank", largest));
  }
}

void find_total_too_large(const PlacementProblem& problem, Sentences& sentences) {
  for (Index kind = 0; kind < problem.kinds.size(); ++kind) {
    const double wanted = problem.wanted[kind];
    double available = 0;
    for (const auto& capacity : problem.capacity) available += capacity[kind];
    if (wanted <= available + load_tolerance) continue;
    sentences.push_back(
        fmt::format("all nodes together need {} {} (all ranks together have {}): ask for less, or start "
                    "the program on more",
                    wanted, problem.kind_name(kind), available));
  }
}

void find_too_few_ranks(const PlacementProblem& problem, Sentences& sentences) {
  const auto exclusive = static_cast<std::size_t>(
      std::count_if(problem.units.begin(), problem.units.end(), [](const Unit& unit) { return unit.exclusive; }));
  const std::size_t needed = exclusive + (exclusive < problem.units.size() ? 1 : 0);
  if (exclusive == 0 || needed <= problem.rank_count()) return;
  const auto first =
      std::find_if(problem.units.begin(), problem.units.end(), [](const Unit& unit) { return unit.exclusive; });
  sentences.push_back(
      fmt::format("{} node{} wish{} a rank of its own, '{}' first (with the others that takes {} ranks; "
                  "there are {}): start more ranks or remove exclusive",
                  exclusive, exclusive == 1 ? "" : "s", exclusive == 1 ? "es" : "",
                  problem.graph.node(first->nodes.front()).label, needed, problem.rank_count()));
}

void find_too_few_hosts(const PlacementProblem& problem, Sentences& sentences) {
  std::map<Index, std::size_t> members;
  for (const Unit& unit : problem.units) {
    for (const Index group : unit.spread_groups) ++members[group];
  }
  const auto hosts = std::count_if(problem.ranks_of_host.begin(), problem.ranks_of_host.end(),
                                   [](const std::vector<Index>& ranks) { return !ranks.empty(); });
  for (const auto& [group, count] : members) {
    if (count <= static_cast<std::size_t>(hosts)) continue;
    sentences.push_back(fmt::format(
        "group '{}' wishes its {} members to be on different hosts (there {} {} host{}): run on "
        "more hosts, or remove spread",
        problem.graph.groups()[group].label, count, hosts == 1 ? "is" : "are", hosts, hosts == 1 ? "" : "s"));
  }
}

}  // namespace

std::vector<std::string> find_impossible(const PlacementProblem& problem) {
  Sentences sentences;
  for (const Unit& unit : problem.units) {
    find_contradiction(problem, unit, sentences);
    find_too_large(problem, unit, sentences);
  }
  find_total_too_large(problem, sentences);
  find_too_few_ranks(problem, sentences);
  find_too_few_hosts(problem, sentences);
  return sentences;
}

}  // namespace slipway::detail
