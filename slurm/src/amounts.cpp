// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"

namespace slipway::slurm {

namespace {

constexpr std::int64_t minute = 60;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;
constexpr std::int64_t longest_time = 365 * day;
constexpr double largest_memory = 9007199254740992.0;  // MiB; the whole numbers of a double

[[noreturn]] void refuse_time(std::string_view text, std::string_view why) {
  throw UsageError(
      fmt::format("'{}' is no time limit ({}); write 90m, 1h30m, 2d or one of Slurm's forms such as "
                  "1:30:00 or 2-12:00",
                  text, why));
}

[[noreturn]] void refuse_memory(std::string_view text, std::string_view why) {
  throw UsageError(fmt::format("'{}' is no amount of memory ({}); write 4G, 1.5GiB or 800M", text, why));
}

std::optional<std::int64_t> whole(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || digits.front() == '-' || error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::int64_t> fields(std::string_view text, std::string_view whole_text) {
  std::vector<std::int64_t> values;
  for (const std::string_view part : split(text, ':')) {
    const auto value = whole(part);
    if (!value) refuse_time(whole_text, "a part of it is no whole number");
    if (*value > longest_time) refuse_time(whole_text, "it is longer than a year");
    values.push_back(*value);
  }
  return values;
}

std::int64_t slurm_seconds(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto days = whole(text.substr(0, dash));
    if (!days) refuse_time(text, "no whole number of days before the '-'");
    if (*days > longest_time / day) refuse_time(text, "it is longer than a year");
    auto clock = fields(text.substr(dash + 1), text);
    if (clock.size() > 3) refuse_time(text, "too many parts");
    clock.resize(3, 0);
    return *days * day + clock[0] * hour + clock[1] * minute + clock[2];
  }
  const auto clock = fields(text, text);
  if (clock.size() == 1) return clock[0] * minute;
  if (clock.size() == 2) return clock[0] * minute + clock[1];
  if (clock.size() == 3) return clock[0] * hour + clock[1] * minute + clock[2];
  refuse_time(text, "too many parts");
}

std::int64_t unit_seconds(char unit, std::string_view text) {
  if (unit == 'd') return day;
  if (unit == 'h') return hour;
  if (unit == 'm') return minute;
  if (unit == 's') return 1;
  refuse_time(text, fmt::format("there is no unit '{}'", unit));
}

// "1h30m"
std::int64_t human_seconds(std::string_view text) {
  std::int64_t seconds = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    const auto value = whole(text.substr(at, end - at));
    if (!value || end == text.size()) refuse_time(text, "numbers and units must take turns");
    if (*value > longest_time) refuse_time(text, "it is longer than a year");
    seconds += *value * unit_seconds(text[end], text);
    at = end + 1;
  }
  return seconds;
}

}  // namespace

std::chrono::seconds parse_wall_time(std::string_view written) {
  const std::string_view text = trimmed(written);
  if (text.empty()) refuse_time(written, "it is empty");
  if (text.front() == '-') refuse_time(written, "it is negative");
  const bool human = std::isalpha(static_cast<unsigned char>(text.back())) != 0;
  const std::int64_t seconds = human ? human_seconds(text) : slurm_seconds(text);
  if (seconds == 0) refuse_time(written, "0 would mean no limit at all");
  if (seconds > longest_time) refuse_time(written, "it is longer than a year");
  return std::chrono::seconds(seconds);
}

std::string format_wall_time(std::chrono::seconds time) {
  const std::int64_t seconds = time.count();
  const std::string clock =
      fmt::format("{:02}:{:02}:{:02}", seconds % day / hour, seconds % hour / minute, seconds % minute);
  return seconds < day ? clock : fmt::format("{}-{}", seconds / day, clock);
}

std::uint64_t parse_memory_mib(std::string_view written) {
  const std::string_view text = trimmed(written);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) refuse_memory(written, "it is too large");
  if (text.empty() || error != std::errc()) refuse_memory(written, "it does not begin with a number");
  if (!(value >= 0)) refuse_memory(written, "it is negative");
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  constexpr std::array<std::pair<char, double>, 4> units{{{'k', 1.0 / 1024}, {'m', 1}, {'g', 1024}, {'t', 1048576}}};
  double mib = value;
  if (!unit.empty()) {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(unit.front())));
    const auto* const found =
        std::find_if(units.begin(), units.end(), [letter](const auto& entry) { return entry.first == letter; });
    const std::string_view rest = unit.substr(1);
    if (found == units.end() || (!rest.empty() && rest != "B" && rest != "iB")) {
      refuse_memory(written, fmt::format("there is no unit '{}'", unit));
    }
    mib = value * found->second;
  }
  if (mib == 0) refuse_memory(written, "0 would mean all of the node; say 'all' for that");
  if (mib > largest_memory) refuse_memory(written, "it is too large");
  if (mib != std::floor(mib)) refuse_memory(written, "Slurm counts whole MiB");
  return static_cast<std::uint64_t>(mib);
}

std::string format_memory(std::uint64_t mib) { return fmt::format("{}M", mib); }

}  // namespace slipway::slurm
