// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "command.hpp"
#include "job_record.hpp"
#include "run_state.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

using Clock = std::chrono::steady_clock;

bool is_over_now(const std::filesystem::path& directory) {
  const RunView run = look_at(directory);
  const slurm::Verdict verdict = verdict_of(run);
  return verdict != slurm::Verdict::waiting && verdict != slurm::Verdict::running && verdict != slurm::Verdict::unknown;
}

// The program first, which then ends in order; then the scheduler, which ends it in any case.
int cancel(const std::string& named, std::chrono::seconds patience) {
  const auto directory = find_run(named);
  const RunView run = look_at(directory);
  if (is_over_now(directory)) {
    fmt::print("the run is over already: {}\n", to_string(verdict_of(run)));
    return 0;
  }
  const bool running = verdict_of(run) == slurm::Verdict::running && run.status.has_value();
  if (running) {
    RunDirectory::at(directory).request_stop("cancelled by slipway cancel");
    const auto end = Clock::now() + patience;
    while (Clock::now() < end && !is_over_now(directory)) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  const bool stopped = running && is_over_now(directory);
  if (stopped) {
    fmt::print("the program has stopped in order\n");
  }
  if (!run.job || run.job->ids.empty()) {
    if (stopped) return 0;
    fmt::print(stderr, "slipway: the run has not stopped within {} s, and is no job that could be cancelled\n",
               patience.count());
    return 1;
  }
  if (run.scheduler && (!stopped || run.job->ids.size() > 1)) {
    for (const auto& id : run.job->ids) {
      const auto result = run_slurm({"scancel", id});
      if (result.status != 0) throw Error("scancel could not cancel job " + id + ": " + result.errors);
      fmt::print("job {} cancelled\n", id);
    }
  }
  return 0;
}

}  // namespace

void add_cancel(CLI::App& app, Chosen& chosen) {
  auto* const verb = app.add_subcommand("cancel", "Asks the program to stop well, then cancels its job.");
  const auto run = std::make_shared<std::string>();
  const auto patience = std::make_shared<int>(30);
  verb->add_option("RUN", *run, "the run directory, or its name below runs/")->required();
  verb->add_option("--patience", *patience, "seconds for the program to stop by itself; default: 30");
  verb->footer("\nExample: slipway cancel runs/train-20261129-195855-570d");
  verb->callback(
      [&chosen, run, patience] { chosen = [run, patience] { return cancel(*run, std::chrono::seconds(*patience)); }; });
}

}  // namespace slipway::tool
