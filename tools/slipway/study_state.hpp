// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/measurement.hpp"
#include "study/study.hpp"

// How the points of a study stand: from their files, and from the scheduler, which is asked once for all.
namespace slipway::tool {

struct PointView {
  study::Measurement run{};
  bool queued = false;  // it has not begun, but its job waits or runs; or nobody can tell

  // Nothing more will happen by itself.
  bool at_rest() const { return run.outcome != study::Outcome::going_on && !queued; }
};

struct StudyView {
  std::filesystem::path directory;
  study::Study study;
  std::vector<PointView> points;     // in the order of the study
  std::vector<std::string> waiting;  // ids of its jobs that wait
  std::vector<std::string> running;  // ids of its jobs that run
};

StudyView look_at_study(const std::filesystem::path& directory, double warm_up = 0);

// A line a point, then how many stand how; or the same as JSON. The exit status: 0 all good so far, 1 some are not.
int print_points(const StudyView& view, bool as_json);

// The directory that the user means, a path or a name below studies/; nothing when it is no study.
std::optional<std::filesystem::path> find_study(const std::string& named);

}  // namespace slipway::tool
