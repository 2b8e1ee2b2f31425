// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "slipway/graph/graph.hpp"

namespace slipway {

// Everything that is wrong with the graph whatever machine it runs on, one sentence each, in the order of the graph:
// undefined declarations, labels that are bad or used twice, empty groups, edges to unknown nodes, numbers that are no
// amounts, wishes that contradict themselves. Empty: the graph is good.
std::vector<std::string> find_problems(const Graph& graph);

// Throws one UsageError that lists all of find_problems(); returns if there are none.
void validate(const Graph& graph);

// The node that `node` wishes to share its rank with; names nothing when it has no such wish, or when the label that it
// gives names no node (which find_problems() tells).
NodeId colocation_partner(const Graph& graph, const Node& node);

// Sets of nodes that must share one rank, each in ascending order; the sets are ordered by their first node and hold
// every node once, most alone. Wishes that name no node are left out.
std::vector<std::vector<NodeId>> colocated_sets(const Graph& graph);

}  // namespace slipway
