// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_of_main.hpp"

#include <stdlib.h>

#include <filesystem>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::launching {

namespace {

// Outlives everything that runs at exit.
std::filesystem::path* mark = nullptr;

void say_how_main_ended(int status) {
  std::error_code ignored;
  if (status == 0) {
    std::filesystem::remove(*mark, ignored);
    return;
  }
  try {
    write_file_atomically(*mark, std::to_string(status), Durability::process);
  } catch (const Error&) {
    // The empty mark says enough.
  }
}

void call_at_exit() {
#ifdef __GLIBC__
  ::on_exit([](int status, void*) { say_how_main_ended(status); }, nullptr);
#else
  ::atexit([] { say_how_main_ended(0); });  // no status is to be had
#endif
}

}  // namespace

void watch_rest_of_main(const std::string& run_directory, std::uint32_t rank) {
  if (run_directory.empty() || mark) return;
  const auto file = RunDirectory::at(run_directory).main_file(rank);
  try {
    write_file_atomically(file, "", Durability::process);
  } catch (const Error&) {
    return;  // a full disk must not end a run
  }
  mark = new std::filesystem::path(file);
  call_at_exit();
}

}  // namespace slipway::launching
