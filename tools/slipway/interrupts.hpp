// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>

namespace slipway::tool {

// While it lives, Ctrl-C and SIGTERM do not end this process: they are counted, and end waits.
class CountInterrupts {
 public:
  CountInterrupts() {
    count().store(0, std::memory_order_relaxed);
    struct sigaction action {};
    action.sa_handler = [](int) { count().fetch_add(1, std::memory_order_relaxed); };
    ::sigaction(SIGINT, &action, &before_interrupt_);
    ::sigaction(SIGTERM, &action, &before_end_);
  }
  ~CountInterrupts() {
    ::sigaction(SIGINT, &before_interrupt_, nullptr);
    ::sigaction(SIGTERM, &before_end_, nullptr);
  }
  CountInterrupts(const CountInterrupts&) = delete;
  CountInterrupts& operator=(const CountInterrupts&) = delete;

  int so_far() const { return count().load(std::memory_order_relaxed); }

 private:
  static std::atomic<int>& count() {
    static std::atomic<int> interrupts{0};
    return interrupts;
  }

  struct sigaction before_interrupt_ {};
  struct sigaction before_end_ {};
};

}  // namespace slipway::tool
