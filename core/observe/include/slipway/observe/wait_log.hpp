// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

// What waits of tasks gave out, in events/rank-00003.1.waits of the run directory, so that the run can be repeated with
// the same branches. A file begins with a line that names its format; records follow. Little-endian.
namespace slipway {

struct WaitRecord {
  static constexpr std::uint32_t nothing = 0xffff'ffff;  // in time

  std::uint64_t activity = 0;  // that waited
  std::uint32_t number = 0;    // its first wait is 0
  std::uint32_t place = 0;     // in the set of what it waited for, of what came first
};
static_assert(sizeof(WaitRecord) == 16 && std::endian::native == std::endian::little);

// Adds to a new file. One thread at a time. Throws Error when the disk is full.
class WaitLogFile {
 public:
  explicit WaitLogFile(const std::filesystem::path& file);
  void add(std::span<const WaitRecord> records);
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t bytes_ = 0;
};

// Of one that was cut short, what is complete. Throws Error for one that cannot be read or is none.
std::vector<WaitRecord> read_wait_log(const std::filesystem::path& file);

}  // namespace slipway
