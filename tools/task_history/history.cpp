// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_history/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "slipway/base/error.hpp"
#include "task_history/clocks.hpp"

namespace slipway::task_history {

namespace {

namespace fs = std::filesystem;
using Kind = TaskEvent::Kind;

// Joins what several ranks tell.
class Joiner {
 public:
  void add_submissions(const TaskEvents& from, std::int64_t offset) {
    Rank& rank = history_.ranks[from.head.rank];
    rank = {from.head.cores, from.head.host, from.threads, from.lost};
    for (const TaskEvent& event : from.events) {
      see(event.time + offset);
      if (event.kind != Kind::submitted) continue;
      const auto [entry, is_new] = index_.try_emplace(event.task, history_.tasks.size());
      if (!is_new) continue;
      const auto name = from.names.find(event.detail);
      history_.tasks.push_back({.id = event.task,
                                .parent = event.other,
                                .name = number_of(name == from.names.end() ? "?" : name->second),
                                .stands_for = std::uint64_t{1} << std::min<unsigned>(event.value, 63),
                                .submitter = {from.head.rank, event.thread},
                                .submitted = event.time + offset});
    }
  }
  void add_rest(const TaskEvents& from, std::int64_t offset) {
    std::vector<TaskEvent> in_order = from.events;  // each thread's are, but not those of all
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const TaskEvent& a, const TaskEvent& b) { return a.time < b.time; });
    for (const TaskEvent& event : in_order) {
      const auto found = index_.find(event.task);
      if (found == index_.end()) continue;
      add(history_.tasks[found->second], event, from.head.rank, event.time + offset);
    }
  }
  History result() {
    std::stable_sort(history_.tasks.begin(), history_.tasks.end(),
                     [](const Task& a, const Task& b) { return a.submitted < b.submitted; });
    return std::move(history_);
  }

 private:
  void see(Moment moment) {
    history_.begin = seen_any_ ? std::min(history_.begin, moment) : moment;
    history_.end = seen_any_ ? std::max(history_.end, moment) : moment;
    seen_any_ = true;
  }
  std::uint32_t number_of(const std::string& name) {
    const auto [entry, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(history_.names.size()));
    if (is_new) history_.names.push_back(name);
    return entry->second;
  }
  static void add(Task& task, const TaskEvent& event, std::uint32_t rank, Moment moment) {
    switch (event.kind) {
      case Kind::submitted:
        return;
      case Kind::waits:
        task.waited = moment;
        task.waits_for = event.other;
        return;
      case Kind::routed:
        task.routed = true;
        [[fallthrough]];
      case Kind::ready:
        if (task.sent) {  // there was no room on the other rank
          task.sent.reset();
          task.bytes_there = 0;
        } else {
          task.ready = moment;
        }
        return;
      case Kind::sent:
        task.sent = moment;
        task.sent_to = event.detail;
        task.bytes_there = event.other;
        return;
      case Kind::started:
        if (!task.started) task.started = moment;
        task.attempts = std::max(task.attempts, event.detail);
        task.runner = {rank, event.thread};
        return;
      case Kind::ended:
        task.ended = moment;
        task.processor_time = event.other;
        if (!task.returned || task.end == TaskEnd::failed) task.end = static_cast<TaskEnd>(event.value);
        return;
      case Kind::returned:
        task.returned = moment;
        task.bytes_back = event.other;
        // Who ran it knows better why it failed, and only its owner whether it was cancelled.
        if (!task.ended || event.value == static_cast<std::uint8_t>(TaskEnd::cancelled)) {
          task.end = static_cast<TaskEnd>(event.value);
        }
        return;
    }
  }

  History history_;
  bool seen_any_ = false;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

// "rank-00003.1.tasks": 1; 0: another file.
std::uint32_t attempt_of(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with("rank-") || !name.ends_with(".tasks")) return 0;
  const std::size_t dot = name.find('.');
  std::uint32_t attempt = 0;
  std::from_chars(name.data() + dot + 1, name.data() + name.size(), attempt);
  return attempt;
}

using FilesByAttempt = std::map<std::uint32_t, std::vector<fs::path>>;

FilesByAttempt files_of(const fs::path& run_directory) {
  FilesByAttempt files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run_directory / "events", none)) {
    if (const std::uint32_t attempt = attempt_of(entry.path())) files[attempt].push_back(entry.path());
  }
  for (auto& [attempt, of_attempt] : files) std::sort(of_attempt.begin(), of_attempt.end());
  return files;
}

History read(const std::vector<fs::path>& files) {
  std::vector<TaskEvents> ranks;
  for (const fs::path& file : files) {
    if (auto events = read_task_events(file)) ranks.push_back(std::move(*events));
  }
  return join(ranks);
}

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::waits_for_value:
      return "waits for a value";
    case State::ready:
      return "ready";
    case State::waits_for_resources:
      return "waits for resources";
    case State::sent:
      return "sent";
    case State::running:
      return "running";
    case State::over:
      return "over";
  }
  return "?";
}

std::string_view to_string(TaskEnd end) {
  switch (end) {
    case TaskEnd::ok:
      return "ok";
    case TaskEnd::failed:
      return "failed";
    case TaskEnd::input_failed:
      return "a value it needs failed";
    case TaskEnd::cancelled:
      return "cancelled";
    case TaskEnd::stopped:
      return "stopped";
  }
  return "?";
}

State Task::state() const {
  if (ended || returned) return State::over;
  if (started) return State::running;
  if (sent) return State::sent;
  if (waited && !ready) return State::waits_for_value;
  return routed ? State::waits_for_resources : State::ready;
}

History join(const std::vector<TaskEvents>& ranks) {
  const std::vector<std::int64_t> offsets = clock_offsets(ranks);
  Joiner joiner;
  for (std::size_t i = 0; i < ranks.size(); ++i) joiner.add_submissions(ranks[i], offsets[i]);
  for (std::size_t i = 0; i < ranks.size(); ++i) joiner.add_rest(ranks[i], offsets[i]);
  return joiner.result();
}

History read_history(const fs::path& run_directory, std::uint32_t attempt) {
  const FilesByAttempt files = files_of(run_directory);
  if (files.empty()) {
    throw UsageError(
        fmt::format("{} has no traces of tasks. Either it has no tasks yet, or it ran with --slipway-task-events=0",
                    run_directory.string()));
  }
  const auto chosen = attempt == 0 ? std::prev(files.end()) : files.find(attempt);
  if (chosen == files.end()) {
    throw UsageError(fmt::format("{} has no traces of tasks in attempt {}; the last one that has is {}",
                                 run_directory.string(), attempt, files.rbegin()->first));
  }
  return read(chosen->second);
}

History history_if_any(const fs::path& run_directory, std::uint32_t attempt) {
  const FilesByAttempt files = files_of(run_directory);
  const auto found = files.find(attempt);
  return found == files.end() ? History() : read(found->second);
}

}  // namespace slipway::task_history
