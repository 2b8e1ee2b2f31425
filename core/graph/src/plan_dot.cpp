// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "slipway/graph/plan.hpp"

namespace slipway {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

void append_rank(const Plan& plan, std::size_t rank, const std::vector<NodeId>& nodes, std::string& text) {
  const auto out = std::back_inserter(text);
  const bool idle = nodes.empty();
  fmt::format_to(out, "    subgraph cluster_rank_{} {{\n      label=\"rank {}{}\"; style={};\n", rank, rank,
                 idle ? " (idle)" : "", idle ? "dashed" : "solid");
  // Graphviz draws no cluster without a node.
  if (idle) fmt::format_to(out, "      idle_{} [label=\"\", style=invis];\n", rank);
  for (const NodeId id : nodes) {
    const Node& node = plan.graph.node(id);
    fmt::format_to(out, "      n{} [label={}, shape={}, tooltip={}];\n", id.value(), quoted(node.label),
                   node.worker ? "box" : "ellipse", quoted(node.type));
  }
  text += "    }\n";
}

// Heavy edges between ranks are what a reader looks for; edges inside a rank cost nothing.
void append_edge(const Plan& plan, const Edge& edge, std::string& text) {
  const bool inside = plan.placement.rank_of_node[edge.from.index()] == plan.placement.rank_of_node[edge.to.index()];
  fmt::format_to(std::back_inserter(text), "  n{} -> n{} [label=\"{:.4g}\"{}];\n", edge.from.value(), edge.to.value(),
                 edge.traffic, inside ? ", color=gray" : "");
}

}  // namespace

std::string plan_dot(const Plan& plan) {
  std::string text = fmt::format("digraph {} {{\n  rankdir=LR;\n", quoted(plan.graph.name()));
  const auto nodes = nodes_of_ranks(plan.placement, plan.machine.ranks.size());
  for (std::size_t host = 0; host < plan.machine.hosts.size(); ++host) {
    text += fmt::format("  subgraph cluster_host_{} {{\n    label={};\n", host, quoted(plan.machine.hosts[host].name));
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      if (plan.machine.ranks[rank].host.index() == host) append_rank(plan, rank, nodes[rank], text);
    }
    text += "  }\n";
  }
  for (const Edge& edge : plan.graph.edges()) append_edge(plan, edge, text);
  return text + "}\n";
}

}  // namespace slipway
