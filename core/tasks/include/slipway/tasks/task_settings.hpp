// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace slipway::detail {

// What a run says about its tasks.
struct TaskSettings {
  std::uint64_t seed = 1;                // of the run
  std::uint64_t most_tasks = 1 << 20;    // that are ready on this rank, then who submits more waits; at least 1
  std::uint64_t stays_from = 64 * 1024;  // results of so many bytes stay on the rank that made them, at least 1
  std::uint32_t lose_values = 0;         // injected: one in so many of these is lost when it is asked for; 0: none
  std::uint32_t lose_tasks = 0;          // injected: the outcome of one in so many tasks of other ranks; 0: none
};

}  // namespace slipway::detail
