// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/wall_clock.hpp"

#include <time.h>

#include <array>
#include <cstdio>

#include "slipway/base/seam.hpp"

namespace slipway {

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

tm utc(std::int64_t wall_nanoseconds) {
  const auto seconds = static_cast<time_t>(wall_nanoseconds / nanoseconds_per_second);
  tm parts{};
  gmtime_r(&seconds, &parts);
  return parts;
}

}  // namespace

std::int64_t wall_now() {
  if (seam::simulated()) return seam::now();
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::int64_t>(time.tv_sec) * nanoseconds_per_second + time.tv_nsec;
}

std::string format_time(std::int64_t wall_nanoseconds) {
  const tm parts = utc(wall_nanoseconds);
  std::array<char, 32> seconds{};
  std::array<char, 48> text{};
  strftime(seconds.data(), seconds.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const auto microseconds = static_cast<int>(wall_nanoseconds % nanoseconds_per_second / 1000);
  const int length = std::snprintf(text.data(), text.size(), "%s.%06dZ", seconds.data(), microseconds);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string format_compact_time(std::int64_t wall_nanoseconds) {
  const tm parts = utc(wall_nanoseconds);
  std::array<char, 32> text{};
  const auto length = strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
  return {text.data(), length};
}

}  // namespace slipway
