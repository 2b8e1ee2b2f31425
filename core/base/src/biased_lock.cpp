// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

namespace slipway::seam {

namespace detail {

namespace {

bool register_for_fences() {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

// Before main: once there are threads, the kernel takes 10 ms for it.
const bool registered = register_for_fences();

}  // namespace

bool can_fence_all_threads() { return registered; }

// The registration may be gone in a process that was restored from a checkpoint. Without fences there is no exclusion.
void fence_all_threads() {
  while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    if (!register_for_fences()) std::abort();
  }
}

}  // namespace detail

void BiasedLock::enter() {
  lock_.lock();
  if (Seat* const favourite = favourite_.load(std::memory_order_relaxed)) take_bias_away(*favourite);
  const void* const me = &detail::thread_mark;
  if (latest_ != me) run_ = 0;
  latest_ = me;
  if (++run_ < run_for_bias || !detail::can_fence_all_threads()) return;
  run_ = 0;
  if (Seat* const seat = seat_of_this_thread()) favourite_.store(seat, std::memory_order_relaxed);
}

BiasedLock::Seat* BiasedLock::seat_of_this_thread() {
  const void* const me = &detail::thread_mark;
  for (Seat& seat : seats_) {
    const void* const owner = seat.owner.load(std::memory_order_relaxed);
    if (owner == me) return &seat;
    if (owner) continue;
    seat.owner.store(me, std::memory_order_relaxed);
    return &seat;
  }
  return nullptr;
}

// The favourite either sees that it is none any more, or is seen inside.
void BiasedLock::take_bias_away(Seat& seat) {
  favourite_.store(nullptr, std::memory_order_relaxed);
  detail::fence_all_threads();
  while (seat.inside.load(std::memory_order_acquire)) pause();
}

}  // namespace slipway::seam
