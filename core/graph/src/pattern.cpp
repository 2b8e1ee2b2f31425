// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "slipway/graph/placement.hpp"

namespace slipway {

namespace {

struct SetMatch {
  bool matches;
  std::size_t length;  // of the set in the pattern, brackets included
};

// The set that a pattern starts with, such as "[a-cx]"; nothing if its ']' is missing.
std::optional<SetMatch> match_set(std::string_view pattern, char c) {
  std::size_t position = 1;
  const bool negated = position < pattern.size() && pattern[position] == '!';
  if (negated) ++position;
  bool found = false;
  for (const std::size_t first = position; position < pattern.size(); ++position) {
    if (pattern[position] == ']' && position > first) return SetMatch{found != negated, position + 1};
    if (position + 2 < pattern.size() && pattern[position + 1] == '-' && pattern[position + 2] != ']') {
      found = found || (pattern[position] <= c && c <= pattern[position + 2]);
      position += 2;
    } else {
      found = found || pattern[position] == c;
    }
  }
  return std::nullopt;
}

// Length of the pattern's first element if it matches the character, else 0.
std::size_t match_one(std::string_view pattern, char c) {
  if (pattern.empty() || pattern[0] == '*') return 0;
  if (pattern[0] == '[') {
    if (const auto set = match_set(pattern, c)) return set->matches ? set->length : 0;
  }
  return pattern[0] == '?' || pattern[0] == c ? 1 : 0;
}

}  // namespace

// Goes back only to the last '*', so that no pattern takes more than |pattern| x |name| steps.
bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  std::size_t position = 0;
  while (position < name.size()) {
    if (const std::size_t length = match_one(pattern.substr(at), name[position])) {
      at += length;
      ++position;
    } else if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      star_name = position;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      position = ++star_name;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace slipway
