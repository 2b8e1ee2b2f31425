// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/observe/task_events.hpp"

namespace slipway::detail {

// What the tasks of one rank do, on its way to the rank's file. Each thread has a ring of its own, which one thread
// drains now and then. Where more tasks come than the file is to hold, one stands for several.
class EventLog {
 public:
  static constexpr std::uint8_t unseen = 255;

  EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // From now on; `rate`: so many tasks a second in full, about, until the file has grown large. The file is made when
  // there is something to write: most programs have no tasks.
  void begin(std::filesystem::path path, const TaskEventsHead& head, std::uint32_t rate, std::uint64_t submitted);
  bool is_on() const { return quota_.load(std::memory_order_relaxed) != 0; }

  // Of the task that is the rank's `serial`th: it stands for 2^level tasks, or leaves no trace. Any thread.
  std::uint8_t level_of(std::uint64_t serial) const;
  // Of a task that leaves a trace. Any thread.
  void note(TaskEvent event);
  std::uint32_t number_of(std::string_view name);

  // All that was noted, to the file. One thread at a time. Throws Error, and is off then.
  void drain(std::uint64_t submitted);

 private:
  struct Ring {
    static constexpr std::uint64_t size = 1 << 13;

    bool put(const TaskEvent& event);

    std::atomic<bool> is_free{false};  // its thread has ended
    std::uint16_t thread = 0;
    std::atomic<std::uint64_t> lost{0};
    alignas(64) std::atomic<std::uint64_t> written{0};
    alignas(64) std::atomic<std::uint64_t> read{0};
    std::unique_ptr<TaskEvent[]> events = std::make_unique_for_overwrite<TaskEvent[]>(size);
  };

  Ring& ring_of_this_thread();
  std::shared_ptr<Ring> find_or_make_ring();
  void set_quota();
  void adapt(std::uint64_t fullest);
  std::uint64_t collect(Ring& ring);
  void write();
  void open_file();

  const std::uint64_t number_;           // of this log in the process: threads may outlive it
  std::atomic<std::uint64_t> quota_{0};  // of tasks in full between two drains, a power of two; 0: off
  std::atomic<std::uint64_t> period_began_{0};
  std::atomic<int> thinner_{0};  // added to each level, since rings were full
  std::uint32_t rate_ = 0;
  std::filesystem::path path_;
  TaskEventsHead head_;
  std::optional<TaskEventFile> file_;
  std::vector<TaskEvent> collected_;

  alignas(64) seam::SpinLock lock_;  // guards what follows
  std::vector<std::shared_ptr<Ring>> rings_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::pair<std::uint32_t, std::string>> new_names_;
  std::vector<std::pair<std::uint16_t, std::string>> new_threads_;
};

}  // namespace slipway::detail
