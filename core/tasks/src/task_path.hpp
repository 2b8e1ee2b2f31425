// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "slipway/base/recycled.hpp"
#include "slipway/rpc/activity.hpp"

namespace slipway::detail {

// An activity that submits tasks, behind those that submitted it: what its tasks are named by, and cancelled together
// with. One for all tasks of an activity. Reference-counted. Any thread.
class TaskPath : public recycled::Object {
 public:
  // Of the calling thread's activity, with a reference.
  static TaskPath* of(Activity& activity);

  // `parent`: a reference is taken over; nullptr: the activity is no task.
  TaskPath(std::string name, TaskPath* parent);
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();
  std::string text() const;

  // All tasks below are cancelled, those of the future too.
  void cancel() { cancelled_.store(true, std::memory_order_release); }
  bool is_cancelled() const;

 private:
  ~TaskPath() = default;

  static constexpr std::uint32_t most_levels = 64;  // a task that submits its own successor makes a path without end

  std::atomic<std::uint32_t> references_{1};
  std::uint32_t levels_ = 1;
  std::uint64_t left_out_ = 0;  // levels above that are not kept
  std::atomic<bool> cancelled_{false};
  const std::string name_;
  TaskPath* parent_ = nullptr;  // with a reference
};

}  // namespace slipway::detail
