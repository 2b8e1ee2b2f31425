// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "arguments.hpp"
#include "array_run.hpp"
#include "follow.hpp"
#include "job_record.hpp"
#include "run_state.hpp"
#include "sbatch.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/slurm/array_indexes.hpp"
#include "slipway/slurm/batch_script.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using slurm::Verdict;

namespace {

bool is_alive(Verdict verdict) { return verdict == Verdict::waiting || verdict == Verdict::running; }

[[noreturn]] void refuse_no_job(const fs::path& directory) {
  const auto status = read_status(directory);
  const std::uint32_t next = status ? status->attempt + 1 : 1;
  throw UsageError(fmt::format("{} was no job; go on by: PROGRAM --slipway-run-directory={} --slipway-attempt={}",
                               directory.string(), shell_word(directory.string()), next));
}

// Elements of an array that were submitted alone are elements of the new array from now on.
void forget_jobs_of_elements(const fs::path& directory, const std::string& array) {
  for (const std::uint32_t index : slurm::parse_array(array).value_or(std::vector<std::uint32_t>())) {
    fs::remove(directory / std::to_string(index) / record_file);
  }
}

// The script finds the number of the next attempt itself.
int submit_again(const fs::path& directory, bool wait) {
  auto record = read_record(directory);
  if (!record) refuse_no_job(directory);
  const auto element = element_place(directory);
  const fs::path script = (element ? element->array : directory) / script_file;
  const auto text = read_file(script);
  if (!text) throw UsageError(script.string() + " is gone; submit the program anew");
  if (slurm::edited_by_hand(*text))
    fmt::print(stderr, "slipway: {} was edited by hand; it is taken as it is\n", script.string());
  if (element) {
    const std::string index = std::to_string(element->index);
    fs::create_directories(directory);  // it may not have begun
    record->ids = {submit_script(script, {"--array=" + index}).id + "_" + index};
  } else {
    record->ids = {submit_script(script).id};
    forget_jobs_of_elements(directory, record->array);
  }
  write_record(directory, *record);
  fmt::print("job {}\n{}\n", record->ids.front(), directory.string());
  std::fflush(stdout);
  return wait ? follow_to_end(directory) : 0;
}

int resume(const std::string& named, bool wait) {
  const fs::path directory = find_run(named);
  const auto array = look_at_array(directory);
  const Verdict verdict = array ? verdict_of(*array) : verdict_of(look_at(directory));
  if (is_alive(verdict)) {
    throw UsageError("the run is " + std::string(to_string(verdict)) +
                     " still; let it end, or use slipway requeue to have it saved and started again");
  }
  return submit_again(directory, wait);
}

// Notice first, so that nothing is lost; then the batch script requeues the job, or a new one is submitted.
int requeue(const std::string& named, std::chrono::seconds patience) {
  const fs::path directory = find_run(named);
  const auto record = read_record(directory);
  if (!record) refuse_no_job(directory);
  if (const auto indexes = slurm::parse_array(record->array)) {
    throw UsageError(fmt::format("{0} is an array (each element is requeued by itself); name one, such as {0}/{1}",
                                 directory.string(), indexes->front()));
  }
  const RunView run = look_at(directory);
  if (!is_alive(verdict_of(run))) return submit_again(directory, false);
  if (!run.status) throw UsageError("the program has not started yet; there is nothing to requeue");
  const std::uint32_t attempt = run.status->attempt;
  RunDirectory::at(directory).give_notice(attempt, "slipway requeue");
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    const RunView now = look_at(directory);
    const bool saved = now.status && now.status->attempt == attempt && now.status->exit_status;
    const bool next_one = saved && now.scheduler && now.scheduler->verdict == Verdict::waiting;
    const bool over = now.scheduler ? is_over(now.scheduler->verdict) : !is_alive(verdict_of(now));
    if (next_one) {
      fmt::print("the program has stopped, and its job is queued again\n");
      return 0;
    }
    if (over) return submit_again(directory, false);
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  fmt::print(stderr, "slipway: the program has not ended {} s after the notice; see slipway status\n",
             patience.count());
  return 1;
}

}  // namespace

void add_resume(Arguments& arguments) {
  Verb verb = arguments.add_verb("resume", "Submits the job of a run again, which goes on where it was.");
  const auto run = std::make_shared<std::string>();
  const auto wait = std::make_shared<bool>(false);
  verb.add("RUN", run.get(), "the run directory, or its name below runs/", {.required = true});
  verb.add("--wait", wait.get(), "follow the log, and end with the program's status");
  verb.set_examples("Example: slipway resume runs/train-20261129-195855-570d");
  verb.set_work([run, wait] { return resume(*run, *wait); });
}

void add_requeue(Arguments& arguments) {
  Verb verb = arguments.add_verb("requeue", "Lets a running program save its state and stop, and queues it again.");
  const auto run = std::make_shared<std::string>();
  const auto patience = std::make_shared<int>(300);
  verb.add("RUN", run.get(), "the run directory, or its name below runs/", {.required = true});
  verb.add("--patience", patience.get(), "seconds for the program to stop; default: 300");
  verb.set_examples("Example: slipway requeue runs/train-20261129-195855-570d");
  verb.set_work([run, patience] { return requeue(*run, std::chrono::seconds(*patience)); });
}

}  // namespace slipway::tool
