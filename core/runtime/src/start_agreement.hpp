// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "slipway/graph/placement.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/runtime/gpus.hpp"
#include "slipway/runtime/rank_runtime.hpp"

namespace slipway::detail {

// What all ranks know after the start agreement. Contract 7.
struct Agreement {
  Machine machine;
  Placement placement;
  GpuShare gpus;                  // of this rank
  std::string gpu_variable;       // by which they are told
  std::uint32_t saved_state = 0;  // by an attempt before, to go on from; 0: none
  std::string run_directory;      // empty: the run leaves nothing
};

// Compares graph, wire version, method table and raw layouts between the ranks, learns what each has, and places the
// nodes. Throws UsageError, with the same text on all ranks, naming the rank and the first item that differ.
Agreement agree(const RankSetup& setup);

}  // namespace slipway::detail
