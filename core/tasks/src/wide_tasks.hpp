// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/tasks/task.hpp"

namespace slipway::detail {

// Tasks that are ready and wait for cores, a few at a time. It holds a reference to each. Any thread.
class WideTasks {
 public:
  void add(TaskBase& task) {
    const std::lock_guard guard(lock_);
    tasks_.push_back(&task);
  }
  void remove(TaskBase& task) {
    const std::lock_guard guard(lock_);
    std::erase(tasks_, &task);
  }
  std::vector<TaskBase*> take_all() {
    const std::lock_guard guard(lock_);
    return std::exchange(tasks_, {});
  }

 private:
  seam::SpinLock lock_;
  std::vector<TaskBase*> tasks_;
};

}  // namespace slipway::detail
