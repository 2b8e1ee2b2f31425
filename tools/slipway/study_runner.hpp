// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

// Runs what is left of a study.
namespace slipway::tool {

// In the directory of a study whose points are steps of one job: the script of that job.
inline constexpr const char* series_file = "study.sh";

struct Effort {
  bool retry_failed = false;  // failed and unusable points as well
  bool wait = false;          // until all points are at rest; points on this machine are always waited for
  bool dry_run = false;       // only says which points would run
};

// The points that have not begun, and those that were stopped; what is there of these is kept beside them. Returns the
// exit status: 0; 1 where points have failed; 75 when the user has interrupted it.
int run_points(const std::filesystem::path& study_directory, const Effort& effort);

}  // namespace slipway::tool
