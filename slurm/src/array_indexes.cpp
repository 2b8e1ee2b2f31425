// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/array_indexes.hpp"

#include <algorithm>
#include <charconv>

#include "slipway/base/text.hpp"

namespace slipway::slurm {

namespace {

constexpr std::size_t most_elements = 1'000'000;

std::optional<std::uint32_t> number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || rest != digits.data() + digits.size()) return std::nullopt;
  return value;
}

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t step = 1;
  std::size_t size() const { return std::size_t{last - first} / step + 1; }
};

// "7", "0-99", "0-99:5"
std::optional<Range> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto only = number(text);
    return only ? std::optional(Range{*only, *only, 1}) : std::nullopt;
  }
  const std::size_t colon = text.find(':');
  const std::string_view end = colon < text.size() ? text.substr(dash + 1, colon - dash - 1) : text.substr(dash + 1);
  const auto first = number(text.substr(0, dash));
  const auto last = number(end);
  const auto step = colon < text.size() ? number(text.substr(colon + 1)) : std::optional<std::uint32_t>(1);
  if (!first || !last || !step || *step == 0 || *last < *first) return std::nullopt;
  return Range{*first, *last, *step};
}

}  // namespace

std::optional<std::vector<std::uint32_t>> parse_array(std::string_view text) {
  const std::size_t throttle = text.find('%');
  if (throttle != std::string_view::npos && number(text.substr(throttle + 1)).value_or(0) == 0) return std::nullopt;
  std::vector<std::uint32_t> indexes;
  for (const std::string_view part : split(text.substr(0, throttle), ',')) {
    const auto range = parse_range(part);
    if (!range || indexes.size() + range->size() > most_elements) return std::nullopt;
    for (std::size_t i = 0; i < range->size(); ++i) {
      indexes.push_back(range->first + static_cast<std::uint32_t>(i) * range->step);
    }
  }
  std::sort(indexes.begin(), indexes.end());
  indexes.erase(std::unique(indexes.begin(), indexes.end()), indexes.end());
  return indexes;
}

std::string format_array(std::span<const std::uint32_t> indexes) {
  std::string text;
  for (std::size_t first = 0; first < indexes.size();) {
    std::size_t last = first;
    while (last + 1 < indexes.size() && indexes[last + 1] == indexes[last] + 1) ++last;
    text.append(text.empty() ? "" : ",").append(std::to_string(indexes[first]));
    if (last > first) text.append("-").append(std::to_string(indexes[last]));
    first = last + 1;
  }
  return text;
}

}  // namespace slipway::slurm
