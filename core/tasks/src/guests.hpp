// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "slipway/base/seam.hpp"
#include "slipway/tasks/task.hpp"

namespace slipway::detail {

// The tasks of other ranks that are here, from their arrival until they are over. Any thread.
class Guests {
 public:
  // False: it was cancelled before it came.
  [[nodiscard]] bool add(TaskBase& task) {
    const std::lock_guard guard(lock_);
    tasks_[task.id()] = &task;
    return cancelled_.count(task.id()) == 0;
  }
  void remove(const TaskBase& task) {
    const std::lock_guard guard(lock_);
    const auto found = tasks_.find(task.id());
    if (found != tasks_.end() && found->second == &task) tasks_.erase(found);
  }
  // With a reference; nullptr: it has not come yet, and will be told when it does, or is over.
  TaskBase* find_to_cancel(std::uint64_t id) {
    const std::lock_guard guard(lock_);
    cancelled_.insert(id);
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return nullptr;
    found->second->retain();
    return found->second;
  }
  // The rank that sent it knows that it is over.
  void forget_cancelled(std::uint64_t id) {
    const std::lock_guard guard(lock_);
    cancelled_.erase(id);
  }

 private:
  seam::SpinLock lock_;  // guards what follows
  std::unordered_map<std::uint64_t, TaskBase*> tasks_;
  std::unordered_set<std::uint64_t> cancelled_;
};

}  // namespace slipway::detail
