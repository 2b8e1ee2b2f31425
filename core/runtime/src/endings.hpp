// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/graph/graph.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::detail {

// Destruction in steps that all ranks take together: a node's callers are all in earlier levels, but for cycles.
struct DestructionLevels {
  std::vector<std::uint32_t> of_node;
  std::uint32_t count = 1;
};
DestructionLevels destruction_levels(const Graph& graph);

// What kept a rank from its end, for whoever speaks for the run: the controller, or the launcher.
void leave_last_words(const RunDirectory& directory, std::uint32_t rank, const std::string& host,
                      const std::exception& error);

// One write, whole lines.
void print_to_stderr(std::string_view text);

}  // namespace slipway::detail
