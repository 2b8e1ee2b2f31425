// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0

// What a task tells the file of events of its rank.
#include "running_task.hpp"
#include "slipway/rpc/async.hpp"
#include "slipway/tasks/task.hpp"
#include "slipway/tasks/task_system.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

bool TaskBase::leaves_trace() const { return trace_level_ != EventLog::unseen; }

void TaskBase::trace(TaskEvent event) const {
  if (!leaves_trace()) [[likely]]
    return;
  event.task = id_;
  system_.parts().events.note(event);
}

void TaskBase::trace_start(std::uint64_t serial) {
  EventLog& events = system_.parts().events;
  trace_level_ = events.level_of(serial);
  if (!leaves_trace()) [[likely]]
    return;
  Activity& submitter = activity_of_this_thread(system_.endpoint());
  const TaskBase* const parent = task_of(submitter);
  trace({.other = parent ? parent->id() : submitter.id,
         .detail = events.number_of(name()),
         .kind = TaskEvent::Kind::submitted,
         .value = trace_level_});
}

void TaskBase::trace_end(TaskEvent::Kind kind, TaskEnd end, std::uint64_t other) const {
  trace({.other = other, .kind = kind, .value = static_cast<std::uint8_t>(end)});
}

void TaskBase::trace_wait(const ObjectPart* missing) const {
  if (is_guest() || !leaves_trace()) return;
  const TaskBase* const maker = missing->maker();
  trace({.other = maker ? maker->id() : 0, .kind = TaskEvent::Kind::waits});
}

}  // namespace slipway::detail
