// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/tasks/task_settings.hpp"

namespace slipway::detail {

// What a test lets this rank lose, by chance: values that stayed here, and outcomes of tasks of other ranks. Any
// thread.
class Losses {
 public:
  Losses(const TaskSettings& settings, RankId rank)
      : one_value_in_(settings.lose_values),
        one_task_in_(settings.lose_tasks),
        seed_(child_id(settings.seed, rank.value())) {}

  // Of a value that stayed here: once lost it is lost for good.
  bool takes_value(std::uint64_t id) {
    if (one_value_in_ == 0) return false;
    const std::lock_guard guard(lock_);
    if (!lost_.contains(id) && !happens(one_value_in_)) return false;
    lost_.insert(id);
    return true;
  }
  bool takes_task() { return happens(one_task_in_); }

 private:
  bool happens(std::uint32_t once_in) {
    return once_in != 0 && child_id(seed_, count_.fetch_add(1, std::memory_order_relaxed)) % once_in == 0;
  }

  const std::uint32_t one_value_in_;
  const std::uint32_t one_task_in_;
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> count_{0};
  seam::SpinLock lock_;  // guards lost_
  std::unordered_set<std::uint64_t> lost_;
};

}  // namespace slipway::detail
