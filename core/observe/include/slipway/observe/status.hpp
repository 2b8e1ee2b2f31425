// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "slipway/observe/run_directory.hpp"

// How a run stands, for people, tools and the process that launched it.
namespace slipway {

// What a process, a batch script and `status.json` say at the end. Contract 9.
enum class ExitStatus : int {
  good = 0,
  node_failed = 1,  // exception, exit, abort or segmentation fault in user code
  usage = 2,        // the program, its plan or its options are wrong
  rank_lost = 3,    // killed, out of memory, its host gone
  preempted = 75,   // a checkpoint was written: start me again
  time_limit = 124,
};

// "a node failed", for messages.
std::string_view to_string(ExitStatus status);

enum class RunState : std::uint8_t { starting, running, stopping, ended };

std::string_view to_string(RunState state);

// The failure that ended the run: of all, the first that the controller heard of. Printed first.
struct FirstFailure {
  ExitStatus status = ExitStatus::node_failed;
  std::string node{};  // label; empty when no node was at work
  std::uint32_t rank = 0;
  std::string host{};
  std::string type{};  // of the exception, or the name of the signal
  std::string text{};
  std::string log_file{};
};

// One paragraph: what failed, where, why, and where to read on.
std::string to_text(const FirstFailure& failure);

struct RunProgress {
  std::uint32_t workers = 0;
  std::uint32_t workers_done = 0;
  std::uint64_t calls = 0;
  std::string text{};        // what the program says of itself
  std::uint64_t number = 0;  // the same, as a number that only grows: whether another attempt would be worth it
  std::map<std::string, double> work{};  // what Context::report was told, by unit
};

struct RunStatus {
  std::string program{};
  RunState state = RunState::starting;
  std::optional<ExitStatus> exit_status{};  // once ended
  std::optional<FirstFailure> first_failure{};
  std::string stop_reason{};
  bool finished = false;  // the program came to its own end: nothing is left for another attempt
  std::uint32_t ranks = 0;
  std::uint32_t attempt = 1;
  std::uint32_t written_by = 0;  // the controller's rank
  std::string host{};            // the controller's
  std::int64_t process = 0;      // the controller's process id
  std::int64_t started = 0;      // this and the next two: nanoseconds since 1970 UTC
  std::int64_t heartbeat = 0;
  std::int64_t ended = 0;
  RunProgress progress{};
  std::uint32_t saved_state = 0;  // number of the newest that is complete; 0: none
  std::uint32_t saving = 0;       // of the one that is being saved on request
};

std::string to_json(const RunStatus& status);
std::string to_json(const FirstFailure& failure);
// Nothing when the text is not what to_json makes.
std::optional<RunStatus> parse_status(std::string_view json);
std::optional<FirstFailure> parse_failure(std::string_view json);

// The record in the directory; nothing when there is none, or it cannot be read.
std::optional<RunStatus> read_status(const std::filesystem::path& run_directory);
// The last words of a rank that died of a signal.
std::optional<FirstFailure> read_last_words(const std::filesystem::path& run_directory, std::uint32_t rank);
// Of all ranks, those of the one that died first.
std::optional<FirstFailure> read_first_last_words(const std::filesystem::path& run_directory);

// Writes status.json; one a run, on the controller alone. Thread-safe. Never throws: a full disk must not end a run;
// what could not be written is counted.
class StatusFile {
 public:
  StatusFile(RunDirectory directory, RunStatus initial);

  void set_state(RunState state);
  void set_stop_reason(std::string_view reason, bool finished);
  // False: another failure came first, and stays.
  bool set_failure(const FirstFailure& failure);
  void set_progress(const RunProgress& progress);  // written with the next heartbeat
  // 0: nothing is being saved on request. Written at once, as the next one is.
  void set_saving(std::uint32_t state);
  void set_saved(std::uint32_t state);
  // To be called every --slipway-heartbeat.
  void beat();
  // The last word: nothing changes the record afterwards. Idempotent.
  void end(ExitStatus status);

  RunStatus status() const;
  std::uint64_t writes_failed() const;

 private:
  void write(Durability durability);

  RunDirectory directory_;
  mutable std::mutex mutex_;  // guards what follows
  RunStatus status_;
  std::uint64_t writes_failed_ = 0;
};

}  // namespace slipway
