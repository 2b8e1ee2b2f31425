// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "slipway/graph/graph.hpp"

namespace slipway {

// Every node once, callees before their callers, so that a constructor may call the nodes that it holds handles to.
// Nodes that call each other in a cycle stand together, in the order of their definition; so do nodes that the edges
// leave free. Needs a graph without problems (validate()). Linear in nodes and edges, but for a logarithm.
std::vector<NodeId> construction_order(const Graph& graph);

// The reverse: callers before callees, a cycle in reverse order of definition. Contract 8.
std::vector<NodeId> destruction_order(const Graph& graph);

// The sets of two or more nodes that call each other in a cycle, each in the order of definition.
std::vector<std::vector<NodeId>> call_cycles(const Graph& graph);

}  // namespace slipway
