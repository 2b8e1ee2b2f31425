// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "slipway/rpc/waiter.hpp"

namespace slipway::detail {

struct TaskSystemParts;

// Holds those up who submit faster than the rank runs: while more tasks are ready than there may be. Tasks that wait for
// values or resources do not count, since these may come from the very one that is held up. Any thread.
class SubmissionLimit {
 public:
  SubmissionLimit(TaskSystemParts& parts, std::uint64_t most) : parts_(parts), most_(most) {}

  // After this rank's `serial`th submission: now and then it looks, and may wait.
  void submitted(std::uint64_t serial) {
    if (serial % between_looks == between_looks - 1) [[unlikely]]
      look();
  }
  // A task has been run.
  void ran() {
    if (held_up_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      let_go();
  }

 private:
  static constexpr std::uint64_t between_looks = 256;

  bool has_room() const;
  void look();
  void let_go();

  TaskSystemParts& parts_;
  const std::uint64_t most_;
  std::atomic<std::uint32_t> held_up_{0};  // threads
  WakeList waiters_;
};

}  // namespace slipway::detail
