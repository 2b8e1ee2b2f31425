// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "study/study.hpp"

// Runs what is left of a study: the points that have not begun, and on demand those that failed.
namespace slipway::tool {

// In the directory of a study whose points are steps of one job: the script of that job.
inline constexpr const char* series_file = "study.sh";

struct Effort {
  bool retry_failed = false;   // their directories are kept beside the new ones, as NAME.failed-1
  bool one_at_a_time = false;  // of jobs: each waits for the one before
  bool wait = false;           // until all points are at rest; points on this machine are always waited for
};

// Returns the exit status: 0; 1 where points are known to have failed; 75 when the user has interrupted it.
int run_points(const std::filesystem::path& study_directory, const study::Study& study, const Effort& effort);

}  // namespace slipway::tool
