// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "shipping.hpp"
#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/tasks/task_asks.hpp"

namespace slipway::detail {

class TaskBase;
struct TaskSystemParts;

// Finds a rank for each task of this rank that asks for something. Of what asks for gpus, memory or named resources
// every rank gets so many of a shape that it does not run out of them, and no more: the rest waits here for who is the
// first to have room. Any thread.
class Router {
 public:
  using By = Shipping::By;

  explicit Router(TaskSystemParts& parts) : parts_(parts) {}

  // All that the task needs is there; a reference is taken over.
  void route(TaskBase& task);
  // Sends what has room somewhere.
  void send_waiting(By by);
  bool has_waiting() const { return any_.load(std::memory_order_acquire); }
  // All that wait, with a reference each.
  [[nodiscard]] std::vector<TaskBase*> take_waiting();
  // A task that was given to this rank, or sent to that one, is over.
  void task_ended(const TaskAsks& asks, RankId where);

 private:
  struct Shape {
    std::deque<TaskBase*> waiting;
    std::vector<std::uint32_t> away;  // by rank
    std::uint64_t all_away = 0;
  };
  struct Routed {
    TaskBase* task = nullptr;
    RankId to;
  };

  Shape& shape_of(const TaskAsks& asks);  // with lock_
  std::optional<Routed> next(By by, bool& skipped);
  bool carry_out(const Routed& routed, By by);
  std::optional<RankId> choose(const TaskAsks& asks, const Shape& shape) const;
  std::uint32_t room(const TaskAsks& asks, const Shape& shape, RankId rank) const;

  TaskSystemParts& parts_;
  std::atomic<bool> any_{false};  // a task waits
  seam::SpinLock lock_;           // guards shapes_
  std::map<TaskAsks, Shape> shapes_;
};

}  // namespace slipway::detail
