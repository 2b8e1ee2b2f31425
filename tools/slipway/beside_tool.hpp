// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace slipway::tool {

// What belongs to this command: beside it when it is installed, else in the source tree.
inline std::filesystem::path beside_tool(const std::filesystem::path& from_here,
                                         const std::filesystem::path& in_source) {
  std::error_code unknown;
  auto beside = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / from_here;
  return std::filesystem::exists(beside, unknown) ? beside : in_source;
}

}  // namespace slipway::tool
