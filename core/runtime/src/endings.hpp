// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "slipway/graph/graph.hpp"

namespace slipway::detail {

// Destruction in steps that all ranks take together: a node's callers are all in earlier levels, but for cycles.
struct DestructionLevels {
  std::vector<std::uint32_t> of_node;
  std::uint32_t count = 1;
};
DestructionLevels destruction_levels(const Graph& graph);

// One write, whole lines.
void print_to_stderr(std::string_view text);

}  // namespace slipway::detail
