// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What tasks did, in events/rank-00003.1.tasks of the run directory: one file a rank and attempt. A file begins with a
// line that names its format; then come blocks: two 32-bit numbers, its kind and the bytes that follow. Little-endian.
namespace slipway {

// How a task ended.
enum class TaskEnd : std::uint8_t {
  ok,
  failed,
  input_failed,  // not run: a value that it needs has failed
  cancelled,     // or late, or a value that it needs was
  stopped,       // not run: the program stops
};

struct TaskEvent {
  enum class Kind : std::uint8_t {
    submitted,  // other: the activity that did it, a task perhaps; detail: its name; value: it stands for 2^value tasks
    waits,      // for a value; other: the task that makes it, 0: not known here
    ready,      // all values are there
    routed,     // the same, and it waits for a rank that has what it asks for
    sent,       // other: bytes; detail: the rank that is to run it
    started,    // on the rank of this file; detail: which attempt, from 1
    ended,      // other: nanoseconds of its thread's processor time, tasks that ran inside it included; value: TaskEnd
    returned,   // from the rank that it was sent to; other: bytes; value: TaskEnd
  };

  std::int64_t time = 0;  // nanoseconds of the rank's own clock, which the ranks of a host share
  std::uint64_t task = 0;
  std::uint64_t other = 0;
  std::uint32_t detail = 0;
  Kind kind = Kind::submitted;
  std::uint8_t value = 0;
  std::uint16_t thread = 0;  // of this rank, that told it
};
static_assert(sizeof(TaskEvent) == 32 && std::endian::native == std::endian::little);

struct TaskEventsHead {
  std::uint32_t rank = 0;
  std::uint32_t cores = 1;  // threads that run tasks
  std::string host;
};

// Adds to a new file. One thread at a time.
class TaskEventFile {
 public:
  // Throws Error, as everything here does when the disk is full.
  TaskEventFile(const std::filesystem::path& file, const TaskEventsHead& head);

  void add_name(std::uint32_t number, std::string_view text);
  void add_thread(std::uint16_t number, std::string_view text);
  // The same moment on both clocks.
  void add_clock(std::int64_t own, std::int64_t wall);
  void add_lost(std::uint64_t events);
  void add(std::span<const TaskEvent> events);
  // What was added can be read by others.
  void flush();
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void add_block(std::uint32_t kind, std::span<const std::span<const std::byte>> parts);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t bytes_ = 0;
};

// A file as it was read; of one that is being written, what is complete.
struct TaskEvents {
  TaskEventsHead head;
  std::map<std::uint32_t, std::string> names;
  std::map<std::uint16_t, std::string> threads;
  std::int64_t wall_offset = 0;  // wall clock less own clock, when the file began
  std::uint64_t lost = 0;        // events for which there was no room
  std::vector<TaskEvent> events;
};

// Nothing: its rank has not begun to write. Throws Error: the file cannot be read, or is none of these.
std::optional<TaskEvents> read_task_events(const std::filesystem::path& file);

}  // namespace slipway
