// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/wait_log.hpp"

#include <cstring>
#include <string_view>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway {

namespace {

constexpr std::string_view magic = "slipway waits 1\n";

[[noreturn]] void cannot_write_waits(const std::filesystem::path& file) {
  throw Error("cannot write " + file.string() + " (no room, or no right to). Make room in the run directory");
}

}  // namespace

WaitLogFile::WaitLogFile(const std::filesystem::path& file) : path_(file), file_(std::fopen(file.c_str(), "wb")) {
  if (!file_ || std::fwrite(magic.data(), 1, magic.size(), file_.get()) != magic.size()) cannot_write_waits(path_);
  bytes_ = magic.size();
}

void WaitLogFile::add(std::span<const WaitRecord> records) {
  const bool good = std::fwrite(records.data(), sizeof(WaitRecord), records.size(), file_.get()) == records.size() &&
                    std::fflush(file_.get()) == 0;
  if (!good) cannot_write_waits(path_);
  bytes_ += records.size_bytes();
}

std::vector<WaitRecord> read_wait_log(const std::filesystem::path& file) {
  const auto content = read_file(file);
  if (!content) throw Error("cannot read " + file.string());
  if (!content->starts_with(magic))
    throw Error(file.string() + " is no log of waits (of another slipway, or damaged). Name the directory of a run");
  std::vector<WaitRecord> records((content->size() - magic.size()) / sizeof(WaitRecord));
  if (!records.empty())
    std::memcpy(records.data(), content->data() + magic.size(), records.size() * sizeof(WaitRecord));
  return records;
}

}  // namespace slipway
