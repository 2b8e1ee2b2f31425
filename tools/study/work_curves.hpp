// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "slipway/observe/report.hpp"

namespace slipway::study {

// Seconds since the start of the workers, and the work done by then; ascending, from (0, 0) to the report's own amount.
using WorkCurve = std::vector<std::pair<double, double>>;

// How each kind of work of the report grew in this attempt, as far as events/work.csv tells.
std::map<std::string, WorkCurve> read_work_curves(const std::filesystem::path& run_directory, std::uint32_t attempt,
                                                  const Report& report);

}  // namespace slipway::study
