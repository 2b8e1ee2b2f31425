// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "slipway/graph/plan.hpp"
#include "slipway/runtime/options.hpp"

namespace slipway {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// The first unit of each table is what a bare number means. Printing takes the largest that divides the value.
constexpr std::array time_units{Unit{"s", 1'000'000'000},
                                Unit{"ns", 1},
                                Unit{"us", 1'000},
                                Unit{"ms", 1'000'000},
                                Unit{"m", 60'000'000'000},
                                Unit{"min", 60'000'000'000},
                                Unit{"h", 3'600'000'000'000},
                                Unit{"d", 86'400'000'000'000}};
constexpr std::array size_units{Unit{"B", 1},
                                Unit{"KiB", std::uint64_t{1} << 10},
                                Unit{"MiB", std::uint64_t{1} << 20},
                                Unit{"GiB", std::uint64_t{1} << 30},
                                Unit{"TiB", std::uint64_t{1} << 40},
                                Unit{"kB", 1'000},
                                Unit{"MB", 1'000'000},
                                Unit{"GB", 1'000'000'000},
                                Unit{"K", std::uint64_t{1} << 10},
                                Unit{"M", std::uint64_t{1} << 20},
                                Unit{"G", std::uint64_t{1} << 30},
                                Unit{"T", std::uint64_t{1} << 40}};

template <std::size_t count>
std::optional<std::uint64_t> parse_quantity(std::string_view text, const std::array<Unit, count>& units) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  std::string_view unit_name = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit_name.empty() && unit_name.front() == ' ') unit_name.remove_prefix(1);
  if (unit_name.empty()) unit_name = units.front().name;
  for (const auto& unit : units) {
    if (unit.name != unit_name) continue;
    const double value = std::round(number * static_cast<double>(unit.factor));
    constexpr double too_large = 9.2e18;  // of a signed 64-bit number
    if (value >= too_large) return std::nullopt;
    return static_cast<std::uint64_t>(value);
  }
  return std::nullopt;
}

// Exact: the largest of the given units that divides the value.
std::string format_quantity(std::uint64_t value, std::initializer_list<Unit> from_largest) {
  for (const auto& unit : from_largest) {
    if (value >= unit.factor && value % unit.factor == 0) return std::to_string(value / unit.factor).append(unit.name);
  }
  return "0";
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const auto count = parse_quantity(text, time_units);
  if (!count) return std::nullopt;
  return std::chrono::nanoseconds(*count);
}

std::string format_duration(std::chrono::nanoseconds duration) {
  return format_quantity(static_cast<std::uint64_t>(duration.count()), {{"h", 3'600'000'000'000},
                                                                        {"m", 60'000'000'000},
                                                                        {"s", 1'000'000'000},
                                                                        {"ms", 1'000'000},
                                                                        {"us", 1'000},
                                                                        {"ns", 1}});
}

std::optional<std::uint64_t> parse_size(std::string_view text) { return parse_quantity(text, size_units); }

std::string format_size(std::uint64_t bytes) {
  return format_quantity(bytes, {{"TiB", std::uint64_t{1} << 40},
                                 {"GiB", std::uint64_t{1} << 30},
                                 {"MiB", std::uint64_t{1} << 20},
                                 {"KiB", std::uint64_t{1} << 10},
                                 {"B", 1}});
}

PlanFormat format_of(PlanRequest request) {
  if (request == PlanRequest::json) return PlanFormat::json;
  return request == PlanRequest::dot ? PlanFormat::dot : PlanFormat::table;
}

}  // namespace slipway
