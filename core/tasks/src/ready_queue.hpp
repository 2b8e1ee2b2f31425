// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "slipway/base/seam.hpp"
#include "slipway/tasks/task.hpp"

namespace slipway::detail {

// Tasks that may run, the higher priority first, then the older. It holds a reference to each; a task that somebody has
// taken meanwhile comes out like any other. Any thread.
//
// Of the usual priority there are, beside what must run on this rank, two lists, so that who submits and who runs
// seldom want the same lock: tasks come into one, go out of the other, and are moved from one to the other all at once.
class ReadyQueue {
 public:
  // Ordered before the caller's next sequentially consistent load.
  void push(TaskBase* task) {
    task->set_next_ready(nullptr);
    if (task->priority() != 0) {
      push_urgent(task);
    } else if (!task->may_leave()) {
      const std::lock_guard guard(bound_lock_);
      bound_.push(task);
      bound_count_.store(bound_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      const std::lock_guard guard(coming_lock_);
      coming_.push(task);
      has_coming_.store(true, std::memory_order_relaxed);
      came_.store(came_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  // nullptr: there is none.
  TaskBase* pop() {
    if (urgent_count_.load(std::memory_order_relaxed) != 0) {
      if (TaskBase* const task = pop_urgent()) return task;
    }
    // In turns with the others, neither of which may wait for ever.
    const bool bound_first = bound_count_.load(std::memory_order_relaxed) != 0 && bound_turn_.exchange(!bound_turn_);
    if (bound_first) {
      if (TaskBase* const task = pop_bound()) return task;
    }
    if (TaskBase* const task = pop_usual()) return task;
    return bound_count_.load(std::memory_order_relaxed) != 0 ? pop_bound() : nullptr;
  }
  // One that may go to another rank, the next to run here; `plain_only`: without running user code.
  TaskBase* pop_to_send(bool plain_only) {
    const auto fits = [plain_only](const List& list) {
      return list.head && list.head->may_leave() && (!plain_only || list.head->is_plain());
    };
    if (urgent_count_.load(std::memory_order_relaxed) != 0) {
      if (TaskBase* const task = pop_urgent(fits)) return task;
    }
    const std::lock_guard guard(going_lock_);
    if (!going_.head) refill();
    return fits(going_) ? pop_going() : nullptr;
  }
  // How many may go to other ranks, about, including some that have been taken.
  std::uint64_t backlog() const {
    const std::uint64_t gone = went_.load(std::memory_order_relaxed);
    const std::uint64_t came = came_.load(std::memory_order_relaxed);
    return (came > gone ? came - gone : 0) + urgent_count_.load(std::memory_order_relaxed);
  }
  // How many of those that may go to other ranks have been taken out.
  std::uint64_t taken() const {
    return went_.load(std::memory_order_relaxed) + urgent_went_.load(std::memory_order_relaxed);
  }
  bool empty() const {
    return !has_coming_.load(std::memory_order_acquire) && !has_going_.load(std::memory_order_relaxed) &&
           urgent_count_.load(std::memory_order_relaxed) == 0 && bound_count_.load(std::memory_order_relaxed) == 0;
  }

 private:
  struct List {
    TaskBase* head = nullptr;
    TaskBase* tail = nullptr;

    void push(TaskBase* task) {
      if (head) {
        tail->set_next_ready(task);
      } else {
        head = task;
      }
      tail = task;
    }
    TaskBase* pop() {
      TaskBase* const task = head;
      if (task) head = task->next_ready();
      return task;
    }
  };

  TaskBase* pop_bound() {
    const std::lock_guard guard(bound_lock_);
    TaskBase* const task = bound_.pop();
    if (task) bound_count_.store(bound_count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return task;
  }
  TaskBase* pop_usual() {
    const std::lock_guard guard(going_lock_);
    if (!going_.head) refill();
    return pop_going();
  }
  // With going_lock_.
  TaskBase* pop_going() {
    TaskBase* const task = going_.pop();
    if (task) went_.store(went_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    has_going_.store(going_.head != nullptr, std::memory_order_relaxed);
    return task;
  }
  void refill() {
    if (!has_coming_.load(std::memory_order_relaxed)) return;
    const std::lock_guard guard(coming_lock_);
    going_ = std::exchange(coming_, {});
    has_going_.store(true, std::memory_order_relaxed);  // first: at no moment does the queue look empty
    has_coming_.store(false, std::memory_order_release);
  }
  void push_urgent(TaskBase* task) {
    const std::lock_guard guard(urgent_lock_);
    urgent_[task->priority()].push(task);
    urgent_count_.store(urgent_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  TaskBase* pop_urgent() {
    return pop_urgent([](const List&) { return true; });
  }
  template <class Fits>
  TaskBase* pop_urgent(const Fits& fits) {
    const std::lock_guard guard(urgent_lock_);
    const auto most = urgent_.begin();
    if (most == urgent_.end() || !fits(most->second)) return nullptr;
    TaskBase* const task = most->second.pop();
    if (!most->second.head) urgent_.erase(most);
    urgent_count_.store(urgent_count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    urgent_went_.store(urgent_went_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return task;
  }

  alignas(64) seam::SpinLock coming_lock_;  // guards coming_; has_coming_ and came_ are written with it
  List coming_;
  std::atomic<std::uint64_t> came_{0};
  std::atomic<bool> has_coming_{false};
  alignas(64) seam::SpinLock going_lock_;  // guards going_; has_going_ and went_ are written with it
  List going_;
  std::atomic<std::uint64_t> went_{0};
  std::atomic<bool> has_going_{false};
  alignas(64) seam::SpinLock bound_lock_;  // guards bound_; bound_count_ is written with it
  List bound_;                             // to this rank
  std::atomic<std::uint64_t> bound_count_{0};
  std::atomic<bool> bound_turn_{false};
  alignas(64) seam::SpinLock urgent_lock_;  // guards urgent_; urgent_count_ is written with it
  std::map<std::uint8_t, List, std::greater<>> urgent_;
  std::atomic<std::uint64_t> urgent_count_{0};
  std::atomic<std::uint64_t> urgent_went_{0};
};

}  // namespace slipway::detail
