// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "slipway/tasks/task_asks.hpp"

namespace slipway::detail {

class TaskBase;
class TaskSystem;

// What ranks say to each other about tasks and values, beside sending tasks and asking for values. Each rank has three
// nodes of this class: `slipway.tasks/N` takes tasks in, and what may run user code; `slipway.desk/N` answers at once,
// on the thread that receives, and so does `slipway.values/N`, which is asked for values: an ask takes room until the
// value is there, and must not take that of the desk.
class TaskNode {
 public:
  explicit TaskNode(TaskSystem& system) : system_(system) {}
  TaskSystem& system() const { return system_; }

  // Of a value that this rank owns. To `tasks`, since the value may go.
  void give_back(std::uint64_t id, std::uint64_t weight);
  // To the desk.
  std::uint64_t more_weight(std::uint64_t id);

  // To the desk, since threads that run tasks may be busy for long. What makes a value of this rank is not wanted any
  // more; or a task that was sent here, which may come later than this. `forget_cancelled`: that one is over.
  void cancel_value(std::uint64_t id, bool children);
  void cancel_task(std::uint64_t id, bool children);
  void forget_cancelled(std::uint64_t id);
  // To the desk of the rank where the cluster scheduler is: that rank has more tasks than it can run, or none left.
  void offer(std::uint32_t rank, std::uint32_t period);
  void idle(std::uint32_t rank, std::uint32_t period);
  // From there: this rank may use that one, or no longer. `period`: which of its offers this answers; `version`: grows
  // with each change.
  void lease(std::uint32_t rank, bool may_use, std::uint32_t period, std::uint64_t version);

  // To the desk of the rank where the scheduler of gangs is: one of `owner` waits for ranks, or waits or runs no more.
  void add_gang(std::uint32_t owner, std::uint64_t gang, std::uint32_t size, const TaskAsks& asks);
  void remove_gang(std::uint32_t owner, std::uint64_t gang);
  // From there, to its owner; and from the rank of a member that is about to begin.
  void gang_placed(std::uint64_t gang, const std::vector<std::uint32_t>& ranks);
  void gang_arrived(std::uint64_t gang);

 private:
  void cancel(TaskBase& task, bool children);  // a reference is taken over

  TaskSystem& system_;
};

}  // namespace slipway::detail
