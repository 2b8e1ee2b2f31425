// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "arguments.hpp"
#include "array_run.hpp"
#include "job_record.hpp"
#include "run_state.hpp"
#include "scancel.hpp"
#include "slipway/observe/run_directory.hpp"
#include "study_cancel.hpp"
#include "study_state.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

using Clock = std::chrono::steady_clock;

bool is_over_now(const std::filesystem::path& directory) { return slurm::is_over(verdict_of(look_at(directory))); }

bool runs(const RunView& run) { return verdict_of(run) == slurm::Verdict::running && run.status.has_value(); }

void ask_to_stop(const RunView& run) { RunDirectory::at(run.directory).request_stop("cancelled by slipway cancel"); }

void cancel_and_say(const std::vector<std::string>& ids) {
  cancel_jobs(ids);
  fmt::print("job {} cancelled\n", fmt::join(ids, ", "));
}

// Until none of the elements that ran does, or the time is over.
ArrayRun wait_for_elements(ArrayRun array, std::chrono::seconds patience) {
  const auto end = Clock::now() + patience;
  const auto any_runs = [&array] {
    return std::any_of(array.elements.begin(), array.elements.end(),
                       [](const auto& element) { return runs(element.run); });
  };
  while (Clock::now() < end && any_runs()) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    array = look_at_array(array.directory).value_or(array);
  }
  return array;
}

// Of the array, and of elements that were submitted again alone; without those that are over.
std::vector<std::string> jobs_under_way(const ArrayRun& array) {
  std::vector<std::string> ids;
  bool array_goes_on = false;
  for (const auto& [index, run] : array.elements) {
    if (slurm::is_over(verdict_of(run))) continue;
    if (run.job) {
      ids.insert(ids.end(), run.job->ids.begin(), run.job->ids.end());
    } else {
      array_goes_on = true;
    }
  }
  if (array_goes_on && array.job) ids.insert(ids.end(), array.job->ids.begin(), array.job->ids.end());
  return ids;
}

// The elements that wait first, so that none begins where another stops; then as with one run.
int cancel(const ArrayRun& array, std::chrono::seconds patience) {
  const auto& elements = array.elements;
  if (slurm::is_over(verdict_of(array))) {
    fmt::print("the run is over already: {}\n", to_string(verdict_of(array)));
    return 0;
  }
  const std::vector<std::string> ids = jobs_under_way(array);
  if (!ids.empty()) cancel_jobs(ids, {"--state=PENDING"});
  std::size_t running = 0;
  for (const auto& element : elements) {
    if (!runs(element.run)) continue;
    ask_to_stop(element.run);
    ++running;
  }
  const ArrayRun now = wait_for_elements(array, patience);
  const auto left = static_cast<std::size_t>(
      std::count_if(now.elements.begin(), now.elements.end(), [](const auto& element) { return runs(element.run); }));
  fmt::print("{} of {} running elements have stopped in order\n", running - std::min(left, running), running);
  if (!ids.empty()) cancel_and_say(ids);
  if (!ids.empty() || left == 0) return 0;
  fmt::print(stderr, "slipway: {} elements have not stopped within {} s, and are no job that could be cancelled\n",
             left, patience.count());
  return 1;
}

// The program first, which then ends in order; then the scheduler, which ends it in any case.
int cancel(const std::filesystem::path& directory, std::chrono::seconds patience) {
  const RunView run = look_at(directory);
  if (is_over_now(directory)) {
    fmt::print("the run is over already: {}\n", to_string(verdict_of(run)));
    return 0;
  }
  const bool running = runs(run);
  if (running) {
    ask_to_stop(run);
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
  if (run.scheduler && (!stopped || run.job->ids.size() > 1)) cancel_and_say(run.job->ids);
  return 0;
}

}  // namespace

void add_cancel(Arguments& arguments) {
  Verb verb = arguments.add_verb("cancel", "Asks the program to stop well, then cancels its job.");
  const auto run = std::make_shared<std::string>();
  const auto patience = std::make_shared<int>(30);
  verb.add("RUN", run.get(), "the directory of a run or a study, or its name below runs/ or studies/",
           {.required = true});
  verb.add("--patience", patience.get(), "seconds for the program to stop by itself; default: 30");
  verb.set_examples("Example: slipway cancel runs/train-20261129-195855-570d");
  verb.set_work([run, patience] {
    const std::chrono::seconds seconds(*patience);
    if (const auto study = *run == "latest" ? std::nullopt : find_study(*run)) return cancel_study(*study, seconds);
    const auto directory = find_run(*run);
    const auto array = look_at_array(directory);
    return array ? cancel(*array, seconds) : cancel(directory, seconds);
  });
}

}  // namespace slipway::tool
