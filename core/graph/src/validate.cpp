// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "slipway/base/error.hpp"

namespace slipway {

namespace {

constexpr std::size_t longest_label = 200;

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/';
}

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

using Problems = std::vector<std::string>;

void check_label(const char* kind, const std::string& label, Problems& problems) {
  if (label.empty()) {
    problems.push_back(
        fmt::format("a {} has an empty label (logs, plans and errors name it by its label): name it", kind));
  } else if (label.size() > longest_label) {
    problems.push_back(
        fmt::format("the label of {} '{}...' has {} characters (at most {} keep logs readable): shorten it", kind,
                    label.substr(0, 40), label.size(), longest_label));
  } else if (!std::all_of(label.begin(), label.end(), is_label_character)) {
    problems.push_back(
        fmt::format("{} '{}' has a bad label (letters, digits and _ - . / are allowed): rename it", kind, label));
  }
}

// Nodes and groups share one name space: "producer" may not be both.
void check_labels(const Graph& graph, Problems& problems) {
  std::unordered_set<std::string> seen;
  const auto check_unique = [&](const std::string& label) {
    if (!label.empty() && !seen.insert(label).second) {
      problems.push_back(
          fmt::format("label '{}' is used twice (a label names one node or group): rename one of them", label));
    }
  };
  for (const NodeGroup& group : graph.groups()) {
    check_label("group", group.label, problems);
    check_unique(group.label);
  }
  for (const Node& node : graph.nodes()) {
    if (!node.group) check_label("node", node.label, problems);
    check_unique(node.label);
  }
}

void check_definitions(const Graph& graph, Problems& problems) {
  for (const NodeGroup& group : graph.groups()) {
    if (group.members.empty()) {
      problems.push_back(fmt::format(
          "group '{}' is empty (a group has at least one member): give it a size of 1 or more", group.label));
    }
  }
  for (const Node& node : graph.nodes()) {
    if (!node.defined) {
      problems.push_back(fmt::format(
          "node '{}' is declared but never defined (its constructor arguments are unknown): call define() for it",
          node.label));
    }
  }
}

std::string name_of(const Graph& graph, NodeId id) {
  if (id.index() < graph.nodes().size()) return "'" + graph.node(id).label + "'";
  return id ? "#" + std::to_string(id.value()) : "#none";
}

void check_edges(const Graph& graph, Problems& problems) {
  for (const Edge& edge : graph.edges()) {
    const std::string ends = fmt::format("edge from {} to {}", name_of(graph, edge.from), name_of(graph, edge.to));
    if (edge.from.index() >= graph.nodes().size() || edge.to.index() >= graph.nodes().size()) {
      problems.push_back(
          fmt::format("{} names an unknown node (this program has {} nodes): use handles of this program", ends,
                      graph.nodes().size()));
    }
    if (!is_amount(edge.traffic)) {
      problems.push_back(
          fmt::format("{} has traffic {} (it must be a finite number, 0 or more): correct it", ends, edge.traffic));
    }
  }
}

void check_resources(const Node& node, Problems& problems) {
  const auto check = [&](const std::string& kind, double amount) {
    if (is_amount(amount)) return;
    problems.push_back(fmt::format("node '{}' asks for {} {} (it must be a finite number, 0 or more): correct it",
                                   node.label, amount, kind));
  };
  check("cpus", node.resources.cpus);
  check("gpus", node.resources.gpus);
  for (const auto& [name, amount] : node.resources.named) check("'" + name + "'", amount);
}

void check_colocation(const Graph& graph, const Node& node, Problems& problems) {
  const std::string& label = node.wishes.colocate_with;
  if (label.empty()) return;
  const NodeId partner = colocation_partner(graph, node);
  if (partner && &graph.node(partner) == &node) {
    problems.push_back(
        fmt::format("node '{}' wishes to share a rank with itself (that says nothing): remove the wish", node.label));
  } else if (!partner && graph.find_group(label)) {
    problems.push_back(
        fmt::format("node '{}' wishes to share a rank with group '{}' (only a group of the same size pairs member with "
                    "member): name one member, such as '{}/0'",
                    node.label, label, label));
  } else if (!partner) {
    problems.push_back(
        fmt::format("node '{}' wishes to share a rank with '{}' (no node or group has that label): correct the label",
                    node.label, label));
  }
}

void check_spread(const Node& node, Problems& problems) {
  if (!node.wishes.spread || node.group) return;
  problems.push_back(fmt::format(
      "node '{}' wishes to be spread over hosts (only the members of a group can be): remove the wish or make a group",
      node.label));
}

// Wishes of nodes that must share a rank and so contradict each other.
void check_colocated_set(const Graph& graph, const std::vector<NodeId>& set, Problems& problems) {
  if (set.size() < 2) return;
  std::unordered_set<std::uint32_t> spread_groups;
  NodeId pinned;
  for (const NodeId id : set) {
    const Node& node = graph.node(id);
    const NodeId other = id == set[0] ? set[1] : set[0];
    if (node.wishes.exclusive) {
      problems.push_back(
          fmt::format("node '{}' wishes a rank of its own (it also shares one with '{}' by colocate_with): remove one "
                      "of the wishes",
                      node.label, graph.node(other).label));
    }
    if (node.wishes.spread && node.group && !spread_groups.insert(node.group.value()).second) {
      problems.push_back(fmt::format(
          "node '{}' wishes to be on another host than its group '{}' (it also shares a rank with a member of it by "
          "colocate_with): remove one of the wishes",
          node.label, graph.group(node.group).label));
    }
    if (!node.wishes.on_rank) continue;
    if (pinned && graph.node(pinned).wishes.on_rank != node.wishes.on_rank) {
      problems.push_back(
          fmt::format("node '{}' wishes to be on rank {} (it also shares a rank with '{}', which wishes "
                      "rank {}): remove one of the wishes",
                      node.label, node.wishes.on_rank.value(), graph.node(pinned).label,
                      graph.node(pinned).wishes.on_rank.value()));
    }
    pinned = id;
  }
}

void check_node(const Graph& graph, const Node& node, Problems& problems) {
  check_resources(node, problems);
  check_colocation(graph, node, problems);
  check_spread(node, problems);
}

}  // namespace

std::vector<std::string> find_problems(const Graph& graph) {
  Problems problems = graph.problems();
  if (graph.nodes().empty()) {
    problems.push_back("the program has no nodes (there is nothing to run): add one with node<T>() or group<T>()");
  }
  check_labels(graph, problems);
  check_definitions(graph, problems);
  check_edges(graph, problems);
  for (const Node& node : graph.nodes()) check_node(graph, node, problems);
  for (const auto& set : colocated_sets(graph)) check_colocated_set(graph, set, problems);
  return problems;
}

void validate(const Graph& graph) {
  const Problems problems = find_problems(graph);
  if (problems.empty()) return;
  std::string text = fmt::format("program '{}' cannot start ({} problem{}):", graph.name(), problems.size(),
                                 problems.size() == 1 ? "" : "s");
  for (const std::string& problem : problems) text += "\n  - " + problem;
  throw UsageError(text);
}

}  // namespace slipway
