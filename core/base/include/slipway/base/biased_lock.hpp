// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
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
// takes the bias away first, which costs microseconds, and the more often that happened the longer the lock does
// without. Dekker's algorithm with an asymmetric fence, as in biased locking (Kawachiya, Koseki, Onodera 2002).
class BiasedLock {
 public:
  class [[nodiscard]] Guard {
   public:
    explicit Guard(BiasedLock& lock) : lock_(lock), by_bias_(lock.enter_by_bias()) {
      if (!by_bias_) [[unlikely]]
        lock_.enter();
    }
    ~Guard() {
      if (by_bias_) [[likely]] {
        lock_.favourite_inside_.store(false, std::memory_order_release);
      } else {
        lock_.lock_.unlock();
      }
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    BiasedLock& lock_;
    const bool by_bias_;
  };

 private:
  static constexpr std::uint32_t first_run = 256;  // entries in a row by one thread that show who comes
  static constexpr std::uint32_t longest_run = 1024;

  bool enter_by_bias() {
    const void* const me = &detail::thread_mark;
    if (favourite_.load(std::memory_order_relaxed) != me) return false;
    favourite_inside_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the processor's part is done by fence_all_threads
    if (favourite_.load(std::memory_order_relaxed) == me) [[likely]]
      return true;
    favourite_inside_.store(false, std::memory_order_release);
    return false;
  }
  void enter();
  void take_bias_away();

  std::atomic<const void*> favourite_{nullptr};  // written with lock_
  std::atomic<bool> favourite_inside_{false};
  SpinLock lock_;  // for all but the favourite; guards what follows
  const void* latest_ = nullptr;
  std::uint32_t run_ = 0;             // entries in a row by `latest_`
  std::uint32_t needed_ = first_run;  // of them for the bias
};

}  // namespace slipway::seam
