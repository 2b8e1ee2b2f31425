// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "saved_parts.hpp"

#include <fmt/format.h>

#include <sstream>

namespace slipway::detail {

std::string to_text(const SavedPart& part) { return fmt::format("{} {} {}\n", part.bytes, part.digest, part.node); }

std::vector<SavedPart> saved_parts_from(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::vector<SavedPart> parts;
  SavedPart part;
  while (lines >> part.bytes >> part.digest >> part.node) parts.push_back(part);
  return parts;
}

}  // namespace slipway::detail
