// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "slipway/base/seam.hpp"

namespace slipway::local {

// Wakes the one thread that sleeps for a rank. Nothing is lost: arming comes before the sleeper's last look at what it
// waits for, and ringing comes after the change of it.
class Bell {
 public:
  std::uint32_t arm() {
    const std::uint32_t ticket = rings_.load(std::memory_order_relaxed);
    // A read-modify-write, so that it sees what a ring that it follows had seen; see `ring`.
    armed_.exchange(1, std::memory_order_seq_cst);
    return ticket;
  }
  void disarm() { armed_.store(0, std::memory_order_relaxed); }

  // False: the deadline has passed.
  bool wait(std::uint32_t ticket, seam::Time deadline) {
    while (rings_.load(std::memory_order_acquire) == ticket) {
      // The kernel's clock and the seam's differ a little, so the end of a sleep alone proves nothing.
      if (!seam::wait(rings_, ticket, deadline) && seam::now() >= deadline) {
        return rings_.load(std::memory_order_acquire) != ticket;
      }
    }
    return true;
  }

  // For callers whose change was a sequentially consistent store.
  void ring_if_armed() {
    if (armed_.load(std::memory_order_seq_cst) != 0) [[unlikely]]
      ring();
  }
  void ring() {
    if (armed_.exchange(0, std::memory_order_seq_cst) == 0) return;
    rings_.fetch_add(1, std::memory_order_release);
    seam::wake(rings_);
  }

 private:
  std::atomic<std::uint32_t> armed_{0};
  seam::Word rings_{0};
};

}  // namespace slipway::local
