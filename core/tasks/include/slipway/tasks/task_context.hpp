// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway {

namespace detail {
class TaskBase;
}

// What a running task knows of itself. A function that wants it takes it as its first parameter, before the arguments:
//   double rollout(slipway::TaskContext& context, const Policy& policy);
// Lives as long as the call. Any thread.
class TaskContext {
 public:
  explicit TaskContext(detail::TaskBase& task) : task_(task) {}
  TaskContext(const TaskContext&) = delete;
  TaskContext& operator=(const TaskContext&) = delete;

  // The same for the same program, seed and order of submissions, on any placement; no two tasks of a run have the
  // same.
  std::uint64_t id() const;
  // For random numbers: follows from the id and --slipway-seed.
  std::uint64_t seed() const;
  std::uint32_t attempt() const;  // from 1; see TaskOptions::retry_exceptions
  std::string path() const;       // the task behind those that submitted it
  // Nobody wants the result any more: the task was cancelled, or the program stops. To be asked now and then by a task
  // that takes long.
  bool stop_requested() const;
  // The devices that the task has, as places in the rank's list of visible ones; empty: it did not ask.
  std::vector<std::uint32_t> gpus() const;

 private:
  detail::TaskBase& task_;
};

}  // namespace slipway
