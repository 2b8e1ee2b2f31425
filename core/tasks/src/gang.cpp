// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/gang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "slipway/tasks/gang_seat.hpp"
#include "slipway/tasks/wait.hpp"
#include "task_system_parts.hpp"

namespace slipway {

namespace {

using detail::Endpoint;
using detail::GangSeat;
using detail::TaskNode;

// Others count on this member from now on: it must not give up since too many threads wait already.
void wait_for_start(const GangSeat& seat) {
  constexpr seam::Time pause = 1'000'000;
  while (true) {
    try {
      get(seat.start);
      return;
    } catch (const TooManyBlocked&) {
      seam::sleep_until(seam::now() + pause);
    }
  }
}

// So that a stall report says for whom the task waits.
class Doing {
 public:
  Doing(detail::Activity& activity, const std::string& text)
      : activity_(activity), before_(std::exchange(activity.doing, text.c_str())) {}
  ~Doing() { activity_.doing = before_; }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  detail::Activity& activity_;
  const char* const before_;
};

}  // namespace

Gang::Gang(detail::TaskBase& task)
    : TaskContext(task), member_(task.seat()->member), ranks_(task.seat()->ranks.begin(), task.seat()->ranks.end()) {
  const GangSeat& seat = *task.seat();
  Endpoint& endpoint = task.system().endpoint();
  const std::string waits =
      fmt::format("{} ({} of a gang of {}, whose other members are not there)", task.name(), member_, size());
  const Doing doing(detail::activity_of_this_thread(endpoint), waits);
  task.system().parts().tell_desk<&TaskNode::gang_arrived>(RankId(seat.owner), seat.gang);
  wait_for_start(seat);
  communicator_ = endpoint.make_communicator(ranks_, seat.gang);
}

const std::any& Gang::communicator() const {
  static const std::any none;
  return communicator_ ? *communicator_ : none;
}

namespace detail {

namespace {

void refuse_impossible(const On& on, std::uint32_t size, const std::vector<RankCapacity>& ranks) {
  if (size == 0) throw UsageError("a gang of no ranks was asked for. Ask for one at least");
  if (on.options.on_rank != RankId() || on.near_rank != RankId()) {
    throw UsageError("a gang was asked for on or near a rank, and its ranks are found for it. Leave that wish out");
  }
  if (on.options.retry_exceptions != 0) {
    throw UsageError(
        "a gang was asked for with .retry_exceptions (its members cannot begin again one by one). Catch what the "
        "function throws, and submit the gang again");
  }
  const auto asks = TaskAsks::from(on);
  const TaskAsks each = asks ? *asks : TaskAsks();
  const auto able =
      std::count_if(ranks.begin(), ranks.end(), [&](const RankCapacity& rank) { return rank.slots(each) > 0; });
  if (static_cast<std::uint64_t>(able) >= size) return;
  throw UsageError(fmt::format(
      "a gang of {} ranks was asked for, with {} for each member, and {} of {} ranks have so much. Ask for fewer, or "
      "start more ranks",
      size, asks ? describe(each) : "1 cpu", able, ranks.size()));
}

}  // namespace

Gang& as_gang(TaskContext& context) { return static_cast<Gang&>(context); }

GangInTheMaking::GangInTheMaking(const On& on, std::uint32_t size) {
  refuse_impossible(on, size, TaskSystem::of_this_thread().parts().capacities);
}

// Not all could be made, since an argument could not be copied: the others end as if cancelled.
GangInTheMaking::~GangInTheMaking() {
  for (TaskBase* const task : tasks_) {
    task->ask_to_stop(false);
    task->start();
  }
}

void GangInTheMaking::start() {
  const std::vector<TaskBase*> tasks = std::exchange(tasks_, {});
  tasks.front()->system().parts().gangs.open(tasks);
  for (TaskBase* const task : tasks) task->start();
}

}  // namespace detail

}  // namespace slipway
