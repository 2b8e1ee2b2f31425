// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/task_node.hpp"

#include "slipway/rpc/runnable.hpp"
#include "slipway/tasks/task.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

void TaskNode::give_back(std::uint64_t id, std::uint64_t weight) { system_.parts().objects.take_back(id, weight); }

std::uint64_t TaskNode::more_weight(std::uint64_t id) { return system_.parts().objects.mint(id); }

// A task that runs hears of it at once, whatever the pool does; what it holds is destroyed there.
void TaskNode::cancel(TaskBase& task, bool children) {
  task.ask_to_stop(children);
  system_.endpoint().run_beside(new Job([&task, children] {
    task.cancel(children);
    task.release();
  }));
}

void TaskNode::cancel_value(std::uint64_t id, bool children) {
  ObjectPart* const object = system_.parts().objects.find_owned(id);
  if (!object) return;  // nobody has a ref to it any more
  if (TaskBase* const maker = object->maker()) {
    maker->retain();
    cancel(*maker, children);
  }
  object->drop_ref();
}

void TaskNode::cancel_task(std::uint64_t id, bool children) {
  if (TaskBase* const guest = system_.parts().guests.find_to_cancel(id)) cancel(*guest, children);
}

void TaskNode::forget_cancelled(std::uint64_t id) { system_.parts().guests.forget_cancelled(id); }

void TaskNode::offer(std::uint32_t rank, std::uint32_t period) {
  if (rank >= system_.endpoint().ranks()) return;
  system_.parts().tell_leases(system_.parts().cluster.offers(RankId(rank), period));
}

void TaskNode::idle(std::uint32_t rank, std::uint32_t period) {
  if (rank >= system_.endpoint().ranks()) return;
  system_.parts().tell_leases(system_.parts().cluster.is_idle(RankId(rank), period));
}

void TaskNode::lease(std::uint32_t rank, bool may_use, std::uint32_t period, std::uint64_t version) {
  if (rank >= system_.endpoint().ranks()) return;
  system_.parts().shipping.lease(RankId(rank), may_use, period, version);
}

void TaskNode::add_gang(std::uint32_t owner, std::uint64_t gang, std::uint32_t size, const TaskAsks& asks) {
  if (owner >= system_.endpoint().ranks()) return;
  TaskSystemParts& parts = system_.parts();
  parts.tell_gangs(parts.gang_scheduler.add({owner, gang}, size, asks));
}

void TaskNode::remove_gang(std::uint32_t owner, std::uint64_t gang) {
  TaskSystemParts& parts = system_.parts();
  parts.tell_gangs(parts.gang_scheduler.remove({owner, gang}));
}

void TaskNode::gang_placed(std::uint64_t gang, const std::vector<std::uint32_t>& ranks) {
  system_.parts().gangs.placed(gang, ranks);
}

void TaskNode::gang_arrived(std::uint64_t gang) { system_.parts().gangs.arrived(gang); }

}  // namespace slipway::detail
