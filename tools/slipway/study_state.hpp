// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/measurement.hpp"
#include "study/study.hpp"

// How the points of a study stand: from their files, and from the scheduler where it knows their jobs.
namespace slipway::tool {

struct PointView {
  study::Point point{};
  std::filesystem::path directory{};
  study::Outcome outcome = study::Outcome::missing;
  bool queued = false;  // it has not begun, but its job, or that of all points, waits or runs
  std::string why{};

  // Nothing more will happen by itself.
  bool at_rest() const { return outcome != study::Outcome::going_on && !queued; }
};

std::vector<PointView> look_at_points(const std::filesystem::path& study_directory, const study::Study& study);

// A line a point, then how many stand how. The exit status: 0 all good so far, 1 some are not.
int print_points(const std::filesystem::path& study_directory, const study::Study& study);

// The directory that the user means, a path or a name below studies/; nothing when it is no study.
std::optional<std::filesystem::path> find_study(const std::string& named);

}  // namespace slipway::tool
