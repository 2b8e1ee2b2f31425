// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/call_state.hpp"

namespace slipway::detail {

// A thread's wait for something that another thread, or this one by moving frames, brings about.
//
// It moves frames itself for a while, since a hand-over costs more than a call. Once the wait has become long, it
// leaves that to the rank's leader, and costs nobody anything.
class Waiter final : public Continuation {
 public:
  void notify(CallState&) override { wake(); }
  void wake() {
    seam::Word& word = word_;
    if (word.exchange(told, std::memory_order_acq_rel) == sleeping) seam::wake(word);
  }
  bool is_told() const { return word_.load(std::memory_order_acquire) == told; }
  void reset_if_told() {
    std::uint32_t expected = told;
    word_.compare_exchange_strong(expected, awake, std::memory_order_acq_rel);
  }
  // Sleeps until told, called to the turn, or the deadline.
  void sleep(seam::Time deadline);
  // Asks the sleeper to take the turn.
  bool call_up();

  // When the wait began, or soon after; 0: it has been over at once.
  seam::Time began() const { return began_; }
  void note_begin() {
    if (began_ == 0) began_ = seam::now();
  }

  bool is_patient() const { return patient_.load(std::memory_order_relaxed); }
  void become_patient() { patient_.store(true, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t awake = 0, sleeping = 1, called = 2, told = 3;
  seam::Word word_{awake};
  std::atomic<bool> patient_{false};
  seam::Time began_ = 0;
};

// Waiters that wait for the same thing to change.
class WakeList {
 public:
  void add(Waiter& waiter) {
    const std::lock_guard guard(lock_);
    waiters_.push_back(&waiter);
    count_.store(waiters_.size(), std::memory_order_seq_cst);
  }
  void remove(Waiter& waiter) {
    const std::lock_guard guard(lock_);
    std::erase(waiters_, &waiter);
    count_.store(waiters_.size(), std::memory_order_seq_cst);
  }
  // After the change.
  void wake_all() {
    if (count_.load(std::memory_order_seq_cst) == 0) [[likely]]
      return;
    const std::lock_guard guard(lock_);
    for (Waiter* const waiter : waiters_) waiter->wake();
  }

 private:
  seam::SpinLock lock_;  // guards waiters_
  std::vector<Waiter*> waiters_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace slipway::detail
