// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "slipway/rpc/call_state.hpp"

namespace slipway::detail {

// Deadlines of calls, earliest first. Calls that end in time stay in it until their deadline.
class Timers {
 public:
  // True: this one is now the earliest, so sleepers must look again.
  [[nodiscard]] bool add(seam::Time deadline, std::uint64_t call_id, StateRef<> local_state) {
    lock_.lock();
    heap_.push_back({deadline, call_id, std::move(local_state)});
    std::push_heap(heap_.begin(), heap_.end(), later);
    const bool earliest = deadline < next_.load(std::memory_order_relaxed);
    next_.store(heap_.front().deadline, std::memory_order_release);
    lock_.unlock();
    return earliest;
  }
  seam::Time next() const { return next_.load(std::memory_order_acquire); }

  // Calls f(call id, state of a local call) for all that are due.
  template <class F>
  void run_due(seam::Time now, F&& f) {
    while (next() <= now) {
      lock_.lock();
      if (heap_.empty() || heap_.front().deadline > now) {
        lock_.unlock();
        return;
      }
      std::pop_heap(heap_.begin(), heap_.end(), later);
      Timer due = std::move(heap_.back());
      heap_.pop_back();
      next_.store(heap_.empty() ? seam::never : heap_.front().deadline, std::memory_order_release);
      lock_.unlock();
      f(due.call_id, due.local_state);
    }
  }

 private:
  struct Timer {
    seam::Time deadline;
    std::uint64_t call_id;
    StateRef<> local_state;
  };
  static bool later(const Timer& a, const Timer& b) { return a.deadline > b.deadline; }

  seam::SpinLock lock_;  // guards heap_
  std::vector<Timer> heap_;
  std::atomic<seam::Time> next_{seam::never};
};

}  // namespace slipway::detail
