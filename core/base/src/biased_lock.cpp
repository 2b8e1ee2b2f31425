// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

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

void fence_all_threads() { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

}  // namespace detail

void BiasedLock::enter() {
  lock_.lock();
  if (favourite_.load(std::memory_order_relaxed)) take_bias_away();
  const void* const me = &detail::thread_mark;
  if (latest_ != me) run_ = 0;
  latest_ = me;
  if (++run_ >= needed_ && detail::can_fence_all_threads()) favourite_.store(me, std::memory_order_relaxed);
}

// The favourite either sees that it is none any more, or is seen inside.
void BiasedLock::take_bias_away() {
  favourite_.store(nullptr, std::memory_order_relaxed);
  detail::fence_all_threads();
  while (favourite_inside_.load(std::memory_order_acquire)) pause();
  needed_ = std::min(needed_ * 4, longest_run);
}

}  // namespace slipway::seam
