// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "start_of_main.hpp"

#include <stdlib.h>

#include <atomic>
#include <exception>
#include <string>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/runtime/launched_by.hpp"

namespace slipway::launching {

namespace {

std::atomic<bool> reached{false};
std::terminate_handler terminate_before = nullptr;

void leave_words(ExitStatus status, const std::string& type, const std::string& text) {
  if (reached.exchange(true)) return;
  const char* const directory = ::getenv("SLIPWAY_RUN_DIRECTORY");
  if (!directory) return;
  const std::uint32_t rank = launched_by().rank.value_or(0);
  const FirstFailure failure{.status = status, .rank = rank, .type = type, .text = text};
  try {
    write_file_atomically(RunDirectory::at(directory).failure_file(rank), to_json(failure), Durability::process);
  } catch (const Error&) {
    // The launcher still sees that the rank is gone.
  }
}

void on_terminate() {
  if (const auto error = std::current_exception()) {
    const RemoteFailure what = detail::describe_exception(error);
    leave_words(ExitStatus::node_failed, what.type, "before launch: " + what.text);
  }
  terminate_before();
}

void on_end(int status) {
  // A program that refuses its own arguments ends so.
  const bool usage = status == static_cast<int>(ExitStatus::usage);
  leave_words(usage ? ExitStatus::usage : ExitStatus::node_failed, "exit",
              "main ended before launch, with status " + std::to_string(status));
}

// Before main.
const bool watching = [] {
  if (!launched_by().by_slipway) return false;
  terminate_before = std::set_terminate(on_terminate);
#ifdef __GLIBC__
  ::on_exit([](int status, void*) { on_end(status); }, nullptr);
#else
  ::atexit([] { on_end(static_cast<int>(ExitStatus::node_failed)); });  // no status is to be had
#endif
  return true;
}();

}  // namespace

void main_has_reached_launch() { reached.store(true); }

}  // namespace slipway::launching
