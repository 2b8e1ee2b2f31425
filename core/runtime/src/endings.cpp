// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "endings.hpp"

#include <unistd.h>

#include <algorithm>
#include <typeinfo>

#include "slipway/base/error.hpp"
#include "slipway/graph/order.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/runtime/program.hpp"

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

void leave_last_words(const RunDirectory& directory, std::uint32_t rank, const std::string& host,
                      const std::exception& error) {
  if (!directory) return;
  const FirstFailure failure{
      .status = ExitStatus::usage, .rank = rank, .host = host, .type = type_name(typeid(error)), .text = error.what()};
  try {
    write_file_atomically(directory.failure_file(rank), to_json(failure), Durability::process);
  } catch (const Error& second) {
    print_to_stderr(std::string("slipway: ") + second.what() + "\n");
  }
}

void print_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace slipway::detail
