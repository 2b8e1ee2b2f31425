// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "endings.hpp"

#include <unistd.h>

#include <algorithm>

#include "slipway/graph/order.hpp"

namespace slipway::detail {

DestructionLevels destruction_levels(const Graph& graph) {
  DestructionLevels levels;
  levels.of_node.assign(graph.nodes().size(), 0);
  const auto order = destruction_order(graph);
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i].index()] = i;
  std::vector<std::vector<NodeId>> callees(order.size());
  for (const Edge& edge : graph.edges()) {
    const bool forward = place[edge.from.index()] < place[edge.to.index()];  // false: it closes a cycle
    if (forward) callees[edge.from.index()].push_back(edge.to);
  }
  for (const NodeId caller : order) {
    for (const NodeId callee : callees[caller.index()]) {
      auto& level = levels.of_node[callee.index()];
      level = std::max(level, levels.of_node[caller.index()] + 1);
      levels.count = std::max(levels.count, level + 1);
    }
  }
  return levels;
}

void print_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace slipway::detail
