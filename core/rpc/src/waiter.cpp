// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/waiter.hpp"

namespace slipway::detail {

void Waiter::sleep(seam::Time deadline) {
  std::uint32_t expected = awake;
  if (!word_.compare_exchange_strong(expected, sleeping, std::memory_order_acq_rel)) {
    if (expected == called) word_.compare_exchange_strong(expected, awake, std::memory_order_acq_rel);
    return;
  }
  while (word_.load(std::memory_order_acquire) == sleeping) {
    if (!seam::wait(word_, sleeping, deadline)) break;
  }
  expected = sleeping;
  if (!word_.compare_exchange_strong(expected, awake, std::memory_order_acq_rel) && expected == called) {
    word_.compare_exchange_strong(expected, awake, std::memory_order_acq_rel);
  }
}

bool Waiter::call_up() {
  std::uint32_t expected = awake;  // about to fall asleep
  if (word_.compare_exchange_strong(expected, called, std::memory_order_acq_rel)) return true;
  if (expected != sleeping || !word_.compare_exchange_strong(expected, called, std::memory_order_acq_rel)) return false;
  seam::wake(word_);
  return true;
}

}  // namespace slipway::detail
