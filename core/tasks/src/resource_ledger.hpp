// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/tasks/task_asks.hpp"

namespace slipway::detail {

class TaskBase;

// What tasks of a rank have taken of its gpus, memory and named resources, and who waits for some. In the order in
// which they came. Cores are not counted here: a task that waits gives its core away, and takes none of another. Any
// thread.
class ResourceLedger {
 public:
  explicit ResourceLedger(const RankCapacity& capacity);

  // True: it has what it asks for. False: it waits, and its turn comes later. A reference is taken over.
  [[nodiscard]] bool take(TaskBase& task);
  // What the task had is free again.
  void give_back(TaskBase& task);
  // Who has now what he waits for, or need not wait any more.
  struct Turn {
    TaskBase* task = nullptr;  // with a reference
    bool granted = false;      // it has what it waited for; else it was dropped meanwhile
  };
  [[nodiscard]] std::vector<Turn> next_turns();
  // All that wait, with a reference each.
  [[nodiscard]] std::deque<TaskBase*> take_waiting();

 private:
  bool try_take(TaskBase& task);
  void change_named(const TaskAsks& asks, std::int64_t sign);

  seam::SpinLock lock_;  // guards what follows
  RankCapacity free_;    // but for gpus
  bool memory_known_;
  std::vector<std::int64_t> free_gpus_;  // by device
  std::deque<TaskBase*> waiting_;
};

}  // namespace slipway::detail
