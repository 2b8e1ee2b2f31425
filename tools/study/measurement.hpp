// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "study/study.hpp"

// What one run of a study tells, read from its run directory alone.
namespace slipway::study {

enum class Outcome : std::uint8_t {
  good,
  missing,   // it has not begun
  going_on,  // it has not ended, as far as its files tell
  stopped,   // in order, but before its own end
  failed,
  unusable,  // it ended well, but its times mean nothing
};

std::string_view to_string(Outcome outcome);

struct Measurement {
  Point point{};
  Outcome outcome = Outcome::missing;
  std::string why{};  // for all but the good
  std::string directory{};
  std::vector<std::string> jobs{};  // of the scheduler; who measures fills them in
  std::uint32_t ranks = 0;
  double gpus = 0;
  std::vector<std::string> hosts{};
  std::string cores{};                            // of the first rank, as "0-7"
  double starting = 0;                            // seconds: from the start of the process until all nodes are built
  double running = 0;                             // from there until the stop begins
  double stopping = 0;                            // the rest
  std::map<std::string, double> rates{};          // work per second, by unit
  std::map<std::string, std::string> no_rate{};   // why there is none, by unit
  std::map<std::string, std::string> versions{};  // versions.json
  std::int64_t started = 0;                       // nanoseconds since 1970 UTC
};

// `warm_up`: seconds from the start of the workers whose work does not count for the rates. Never throws for a run
// directory that is missing or damaged.
Measurement measure(const std::filesystem::path& study_directory, const Study& study, Point point, double warm_up = 0);

}  // namespace slipway::study
