// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "slipway/base/seam.hpp"

namespace slipway::seam {

namespace detail {

// Its address names the running thread.
inline thread_local constinit char thread_mark = 0;

// Whether this process may use `fence_all_threads`. Not under the thread sanitizer, which knows nothing of it.
bool can_fence_all_threads();
// After it, every other thread has passed a full memory fence since the call began.
void fence_all_threads();

}  // namespace detail

// Guards a few instructions, like SpinLock, where nearly always the same thread comes. Once that shows, the thread gets
// the bias: it enters and leaves by plain loads and stores, without the 20 ns of a locked instruction. Another thread
// takes the bias away first, which costs microseconds. Dekker's algorithm with an asymmetric fence, as in biased
// locking (Kawachiya, Koseki, Onodera 2002).
//
// Each thread that ever had the bias has a seat of its own, whose flag it alone writes: a thread that was stopped just
// before it would have entered may find, much later, that the bias is another's. Who finds no seat free does without.
class BiasedLock {
  struct Seat;

 public:
  class [[nodiscard]] Guard {
   public:
    explicit Guard(BiasedLock& lock) : lock_(lock), seat_(lock.enter_by_bias()) {
      if (!seat_) [[unlikely]]
        lock_.enter();
    }
    ~Guard() {
      if (seat_) [[likely]] {
        seat_->inside.store(false, std::memory_order_release);
      } else {
        lock_.lock_.unlock();
      }
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    BiasedLock& lock_;
    Seat* const seat_;
  };

  // Whether this thread has the bias now. For tests.
  bool favours_this_thread() const {
    const Seat* const seat = favourite_.load(std::memory_order_relaxed);
    return seat && seat->owner.load(std::memory_order_relaxed) == &detail::thread_mark;
  }

  // Entries in a row by one thread that show who comes: what they save pays for taking the bias away again.
  static constexpr std::uint32_t run_for_bias = 1024;

 private:
  static constexpr std::size_t most_seats = 4;

  struct Seat {
    std::atomic<const void*> owner{nullptr};  // for ever
    std::atomic<bool> inside{false};          // written by the owner only
  };

  // The own seat if this thread has the bias, and is inside now.
  Seat* enter_by_bias() {
    Seat* const seat = favourite_.load(std::memory_order_relaxed);
    if (!seat || seat->owner.load(std::memory_order_relaxed) != &detail::thread_mark) return nullptr;
    seat->inside.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the processor's part is done by fence_all_threads
    if (favourite_.load(std::memory_order_relaxed) == seat) [[likely]]
      return seat;
    seat->inside.store(false, std::memory_order_release);
    return nullptr;
  }
  void enter();
  void take_bias_away(Seat& seat);
  Seat* seat_of_this_thread();

  std::atomic<Seat*> favourite_{nullptr};  // written with lock_
  std::array<Seat, most_seats> seats_;
  SpinLock lock_;  // for all but the favourite; guards what follows
  const void* latest_ = nullptr;
  std::uint32_t run_ = 0;  // entries in a row by `latest_`
};

}  // namespace slipway::seam
