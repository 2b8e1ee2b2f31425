// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "submission_limit.hpp"

#include "task_system_parts.hpp"

namespace slipway::detail {

// Some more than one, so that who is let go can go on for a while.
bool SubmissionLimit::has_room() const { return parts_.ready.backlog() <= most_ - most_ / 8 || parts_.system.is_closed(); }

void SubmissionLimit::look() {
  if (parts_.ready.backlog() <= most_) return;
  Waiter waiter;
  held_up_.fetch_add(1, std::memory_order_seq_cst);
  waiters_.add(waiter);
  try {
    parts_.endpoint().wait_for_condition("room for one more task (--slipway-most-tasks)", NodeId(), seam::never, waiter,
                                         [&] {
                                           waiter.reset_if_told();
                                           return has_room();
                                         });
  } catch (const Error&) {  // no stack is left to wait, or the run ends: the task is submitted all the same
  }
  waiters_.remove(waiter);
  held_up_.fetch_sub(1, std::memory_order_relaxed);
}

void SubmissionLimit::let_go() {
  if (has_room()) waiters_.wake_all();
}

}  // namespace slipway::detail
