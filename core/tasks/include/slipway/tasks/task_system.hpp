// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace slipway::detail {

class Endpoint;
class TaskBase;
struct TaskSystemParts;

// The tasks of one rank: which are ready, and who runs them. Any thread.
class TaskSystem {
 public:
  // Of this thread's rank. Throws UsageError where no program runs.
  static TaskSystem& of_this_thread();

  // `seed`: of the run.
  TaskSystem(Endpoint& endpoint, std::uint64_t seed);
  ~TaskSystem();
  TaskSystem(const TaskSystem&) = delete;
  TaskSystem& operator=(const TaskSystem&) = delete;

  Endpoint& endpoint() const { return endpoint_; }
  std::uint64_t seed() const { return seed_; }

  void submitted(const TaskBase& task);
  // All that the task needs is there; one reference is taken over.
  void push(TaskBase* task);
  void over(const TaskBase& task);

  // Tasks that were submitted and are not over.
  std::uint64_t unfinished() const { return unfinished_.load(std::memory_order_acquire); }
  std::uint64_t finished() const { return finished_.load(std::memory_order_relaxed); }
  // From now on nothing begins: a task whose turn comes fails with Stopped instead.
  void close(const std::string& reason);
  bool is_closed() const;
  std::exception_ptr closed_error() const;

 private:
  friend struct TaskSystemParts;

  Endpoint& endpoint_;
  const std::uint64_t seed_;
  std::unique_ptr<TaskSystemParts> parts_;
  std::atomic<std::uint64_t> unfinished_{0};
  std::atomic<std::uint64_t> finished_{0};
};

}  // namespace slipway::detail
