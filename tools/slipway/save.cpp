// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "arguments.hpp"
#include "job_record.hpp"
#include "run_state.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_every{100};

bool is_alive(const RunStatus& status) { return status.state != RunState::ended && !heartbeat_is_stale(status); }

RunStatus require_running(const std::filesystem::path& directory) {
  const RunView run = look_at(directory);
  const bool alive = run.status && is_alive(*run.status);
  if (alive && run.status->state != RunState::stopping) return *run.status;
  throw UsageError(fmt::format("the run is {} (only a running program can save its state) see slipway status {}",
                               alive ? to_string(run.status->state) : to_string(verdict_of(run)), directory.string()));
}

// The program takes the request away when it begins to save, and says before that which state that is. Nothing: it has
// not.
std::optional<RunStatus> wait_until_taken(const RunDirectory& run, Clock::time_point end) {
  while (run.save_requested()) {
    const auto status = read_status(run.path());
    if (Clock::now() >= end || (status && !is_alive(*status))) return std::nullopt;
    std::this_thread::sleep_for(look_every);
  }
  return read_status(run.path());
}

int save(const std::string& named, const std::string& reason, std::chrono::seconds patience) {
  const auto directory = find_run(named);
  const std::uint32_t before = require_running(directory).saved_state;
  const RunDirectory run = RunDirectory::at(directory);
  const auto end = Clock::now() + patience;
  run.request_save(reason);
  std::optional<RunStatus> status = wait_until_taken(run, end);
  const std::uint32_t number = status && status->saving > 0 ? status->saving : before + 1;
  while (status && status->saved_state < number && status->saving > 0 && Clock::now() < end) {
    std::this_thread::sleep_for(look_every);
    status = read_status(directory);
  }
  if (status && status->saved_state >= number) {
    fmt::print("state {} is saved\n", status->saved_state);
    return 0;
  }
  const bool in_time = Clock::now() < end;
  fmt::print(stderr, "slipway: {}; see slipway logs {}\n",
             in_time ? "nothing was saved (no node has an on_save hook, or the program ends)"
                     : fmt::format("no state was complete within {} s", patience.count()),
             directory.string());
  return 1;
}

}  // namespace

void add_save(Arguments& arguments) {
  Verb verb = arguments.add_verb("save", "Lets a running program save its state and go on.");
  const auto run = std::make_shared<std::string>();
  const auto reason = std::make_shared<std::string>("asked by slipway save");
  const auto patience = std::make_shared<int>(300);
  verb.add("RUN", run.get(), "the run directory, or its name below runs/", {.required = true});
  verb.add("--reason", reason.get(), "for the program's log");
  verb.add("--patience", patience.get(), "seconds for the state to be complete; default: 300");
  verb.set_examples("Example: slipway save runs/train-20261129-195855-570d");
  verb.set_work([run, reason, patience] { return save(*run, *reason, std::chrono::seconds(*patience)); });
}

}  // namespace slipway::tool
