// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/rpc/activity.hpp"

namespace slipway::detail {

class TaskBase;

// A task is an activity of its own, which names it.
struct TaskActivity : Activity {
  explicit TaskActivity(TaskBase& running) : task(running) { is_task = true; }
  TaskBase& task;
};

// The task that the activity is; nullptr: it is none.
inline TaskBase* task_of(Activity& activity) {
  return activity.is_task ? &static_cast<TaskActivity&>(activity).task : nullptr;
}

}  // namespace slipway::detail
