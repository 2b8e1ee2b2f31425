// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/call_state.hpp"

namespace slipway::detail {

class TaskBase;
class TaskSystem;

// Tells a task when its time is over, as a call whose deadline passes. It has a reference to the task until then, or
// until that is over.
class TaskTimer final : public CallState, public Continuation {
 public:
  // A reference to the task is taken over.
  TaskTimer(TaskBase& task, TaskSystem& system, seam::Time deadline);
  void start();
  // The task is over. Gives up the caller's reference to the timer.
  void end();

  void notify(CallState&) override;
  void decode_value(Reader&) override {}
  void take_body(std::span<const std::byte>) override {}

 private:
  TaskBase& task_;
};

}  // namespace slipway::detail
