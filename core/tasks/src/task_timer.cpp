// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_timer.hpp"

#include "slipway/rpc/runnable.hpp"
#include "slipway/tasks/task.hpp"
#include "slipway/tasks/task_system.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

TaskTimer::TaskTimer(TaskBase& task, TaskSystem& system, seam::Time deadline) : task_(task) {
  Endpoint& endpoint = system.endpoint();
  info.endpoint = &endpoint;
  info.node = system.parts().desk(endpoint.rank());
  info.deadline = deadline;
  ignore_errors();
  static_cast<void>(attach(*this));
}

void TaskTimer::start() { info.endpoint->add_timer(*this); }

void TaskTimer::end() {
  if (detach(*this)) task_.release();
  release();
}

// On a thread that receives: what runs user code is left to the pool.
void TaskTimer::notify(CallState&) {
  const bool dropped = task_.time_out();
  info.endpoint->run_beside(new Job([&task = task_, dropped] {
    task.end_late(dropped);
    task.release();
  }));
}

}  // namespace slipway::detail
