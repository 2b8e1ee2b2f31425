// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace slipway::testing {

// An empty directory that goes away with its object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    // mkdtemp asks for six X at the end, and puts letters in their place.
    std::string name = (std::filesystem::temp_directory_path() / ("slipway-test-" + std::string(6, 'X'))).string();
    if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), "no directory " + name);
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace slipway::testing
