// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/observe/task_events.hpp"

namespace slipway::task_history {

// Nanoseconds of the wall clock.
using Moment = std::int64_t;

// A thread of a rank.
struct Place {
  std::uint32_t rank = 0;
  std::uint16_t thread = 0;
};

enum class State : std::uint8_t {
  waits_for_value,
  ready,  // no core has begun it
  waits_for_resources,
  sent,  // to another rank, where it has not begun
  running,
  over,
};
std::string_view to_string(State state);
std::string_view to_string(TaskEnd end);

// One task, by what all ranks know of it.
struct Task {
  State state() const;

  std::uint64_t id = 0;
  std::uint64_t parent = 0;      // the activity that submitted it: a task, a handler, a run()
  std::uint32_t name = 0;        // in History::names
  std::uint64_t stands_for = 1;  // tasks
  Place submitter;
  Place runner;
  std::uint32_t sent_to = 0;    // a rank, if `sent`
  std::uint64_t waits_for = 0;  // the task whose value it lacked first; 0: none, or not known
  bool routed = false;          // it asked for more than a core
  std::uint32_t attempts = 0;
  std::uint64_t bytes_there = 0;
  std::uint64_t bytes_back = 0;
  std::uint64_t processor_time = 0;  // nanoseconds, tasks that ran inside it included
  Moment submitted = 0;
  std::optional<Moment> waited;  // from then on for a value
  std::optional<Moment> ready;   // if it has waited for a value or a place
  std::optional<Moment> sent;
  std::optional<Moment> started;  // the first attempt
  std::optional<Moment> ended;
  std::optional<Moment> returned;  // of one that was sent
  TaskEnd end = TaskEnd::ok;       // once over
};

struct Rank {
  std::uint32_t cores = 1;
  std::string host;
  std::map<std::uint16_t, std::string> threads;
  std::uint64_t lost = 0;  // events for which there was no room
};

struct History {
  std::map<std::uint32_t, Rank> ranks;
  std::vector<std::string> names;
  std::vector<Task> tasks;  // in the order of their submission
  Moment begin = 0;
  Moment end = 0;  // the last that was seen

  const std::string& name_of(const Task& task) const { return names[task.name]; }
};

// Of one attempt; 0: the latest one that has left events. Throws UsageError when the run has left none.
History read_history(const std::filesystem::path& run_directory, std::uint32_t attempt);
// Of a run without any: nothing in it.
History history_if_any(const std::filesystem::path& run_directory, std::uint32_t attempt);

// Of what ranks have told, whose clocks are brought in line: those of a host share one, and between hosts no task
// starts before it was sent, or returns before it has ended.
History join(const std::vector<TaskEvents>& ranks);

}  // namespace slipway::task_history
