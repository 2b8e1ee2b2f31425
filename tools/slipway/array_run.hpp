// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "run_state.hpp"

namespace slipway::tool {

struct ArrayElement {
  std::uint32_t index = 0;
  RunView run;  // in a directory of its own, which is not there before the element begins; has a job of its own only
                // if it was submitted again alone
};

// An array of jobs: a run for each element, by their indexes; at least one.
struct ArrayRun {
  std::filesystem::path directory;
  std::optional<JobRecord> job;
  std::vector<ArrayElement> elements;
};

// Nothing where the directory is that of one run. Asks the scheduler once for all elements.
std::optional<ArrayRun> look_at_array(const std::filesystem::path& run_directory);

// Running while an element runs, waiting while one waits; then that of the worst.
slurm::Verdict verdict_of(const ArrayRun& array);

// The worst of its elements': a failure, bad usage, a lost rank, the time limit, a stop before the end, none of these.
int exit_status_of(const ArrayRun& array);

}  // namespace slipway::tool
