// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/task_system.hpp"

#include <fmt/format.h>

#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/observe/log.hpp"
#include "slipway/rpc/runnable.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

// Then a runner looks whether handlers wait for a thread: they may take longer than tasks, but not for ever.
constexpr int tasks_a_turn = 16;

}  // namespace

// A piece of work that becomes a runner when there is a core for it.
class Runner final : public Runnable {
 public:
  explicit Runner(TaskSystemParts& parts) : parts_(parts) {}
  void execute() override {
    Endpoint& endpoint = parts_.endpoint();
    if (cores == 0 && !endpoint.take_cores(1)) return endpoint.run_when_free(this, 1);
    TaskSystemParts& parts = parts_;
    delete this;  // first: the work may take long
    parts.runner_called.store(false, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // before the look at the queue, as in its push
    parts.run_tasks();
  }

 private:
  TaskSystemParts& parts_;
};

void TaskSystemParts::call_runner() {
  if (runner_called.load(std::memory_order_seq_cst) || runner_called.exchange(true, std::memory_order_seq_cst)) return;
  endpoint().run_in_pool(new Runner(*this));
}

void TaskSystemParts::run_tasks() {
  const bool alone = shipping.alone();
  bool tasks_are_long = false;
  for (int run = 0;; ++run) {
    TaskBase* const task = ready.pop();
    if (!task) return shipping.ran_empty();
    const bool others_wait = (run >= tasks_a_turn || tasks_are_long) && endpoint().pool_has_work();
    if (!ready.empty() || others_wait) call_runner();
    if (!alone && !ready.empty()) shipping.send_or_offer(Shipping::By::user_thread);  // before: it may take long
    const std::int32_t cores = task->asks() ? task->asks()->cores() : 1;
    if (cores > 1 && !endpoint().take_cores(cores)) return run_when_free(*task, cores);
    const seam::Time began = alone ? 0 : seam::now();
    run_task(*task);
    if (!alone) tasks_are_long = shipping.note_length(seam::now() - began);
    if (others_wait) return;
    if (endpoint().is_short_of_cores()) return call_runner();  // it has its turn after who came before
    if (cores > 1) static_cast<void>(endpoint().set_cores({.of_tasks = 1}));
    if (run == tasks_a_turn) run = 0;
  }
}

void TaskSystemParts::run_task(TaskBase& task) {
  task.take_and_run();
  task.release();
  submission_limit.ran();
  if (router.has_waiting()) router.send_waiting(Shipping::By::user_thread);
}

// A task that awaits its cores, and then the runner that goes on with others.
class WideRun final : public Runnable {
 public:
  WideRun(TaskSystemParts& parts, TaskBase& task) : parts_(parts), task_(task) {}
  void execute() override {
    TaskSystemParts& parts = parts_;
    TaskBase& task = task_;
    const bool has_cores = cores > 0;
    delete this;  // first: the work may take long
    parts.wide.remove(task);
    parts.run_task(task);
    if (!has_cores) return;
    static_cast<void>(parts.endpoint().set_cores({.of_tasks = 1}));
    parts.endpoint().is_short_of_cores() ? parts.call_runner() : parts.run_tasks();
  }
  bool is_wanted() const override { return task_.is_ready(); }

 private:
  TaskSystemParts& parts_;
  TaskBase& task_;
};

void TaskSystemParts::run_when_free(TaskBase& task, std::int32_t cores) {
  wide.add(task);
  endpoint().run_when_free(new WideRun(*this, task), cores);
}

void TaskSystemParts::check_possible(const TaskAsks& asks) const {
  for (std::uint32_t rank = 0; rank < capacities.size(); ++rank) {
    const bool asked_for = asks.on_rank == RankId::none || asks.on_rank == rank;
    if (asked_for && capacities[rank].slots(asks) > 0) return;
  }
  throw UsageError(explain_impossible(asks, capacities));
}

void TaskSystemParts::find_place(TaskBase& task) {
  if (system.is_closed()) {
    task.drop(system.closed_error());
    task.release();
  } else if (task.is_guest()) {
    give_resources(task);
  } else if (task.seat() && !task.has_failed_input()) {
    gangs.member_ready(task);
  } else {
    router.route(task);
  }
}

void TaskSystemParts::give_resources(TaskBase& task) {
  task.set_at_its_place();
  if (task.has_inputs_here() && ledger.take(task)) make_ready(task);
}

void TaskSystemParts::make_ready(TaskBase& task) {
  if (task.make_ready()) return system.push(&task);
  take_resources_back(task);  // dropped meanwhile
  task.release();
}

void TaskSystemParts::take_resources_back(TaskBase& task) {
  const RankId here = endpoint().rank();
  if (task.end_grant()) {
    ledger.give_back(task);
    if (!task.is_guest()) router.task_ended(*task.asks(), here);
  }
  for (const auto& [next, granted] : ledger.next_turns()) {
    if (granted) {
      make_ready(*next);
    } else {
      if (!next->is_guest()) router.task_ended(*next->asks(), here);
      next->release();
    }
  }
  if (router.has_waiting()) call_looker();
  if (!over.load(std::memory_order_acquire) && endpoint().is_short_of_cores())
    endpoint().start_awaiting();  // it may have waited for many itself
}

void TaskSystemParts::drop_waiting() {
  std::vector<TaskBase*> all = router.take_waiting();
  for (TaskBase* const task : ledger.take_waiting()) {
    if (!task->is_guest()) router.task_ended(*task->asks(), endpoint().rank());
    all.push_back(task);
  }
  for (TaskBase* const member : gangs.take_waiting()) all.push_back(member);
  for (TaskBase* const task : all) {
    task->drop(system.closed_error());
    task->release();
  }
}

void TaskSystemParts::share_tasks(Shipping::By by) {
  shipping.send_or_offer(by);
  if (router.has_waiting()) router.send_waiting(by);
}

void TaskSystemParts::call_looker() {
  if (looker_called.exchange(true, std::memory_order_seq_cst)) return;
  endpoint().run_beside(new Job([this] {
    looker_called.store(false, std::memory_order_seq_cst);
    share_tasks(Shipping::By::looker);
  }));
}

void TaskSystemParts::tell_leases(const std::vector<ClusterScheduler::Message>& messages) {
  for (const auto& message : messages) {
    tell_desk<&TaskNode::lease>(message.to, message.lender.value(), message.lease, message.period, message.version);
  }
}

void TaskSystemParts::tell_gangs(const std::vector<GangScheduler::Placed>& placed) {
  for (const auto& [name, ranks] : placed) {
    tell_desk<&TaskNode::gang_placed>(RankId(name.owner), name.gang, ranks);
  }
}

TaskSystemParts::TaskSystemParts(TaskSystem& owner, const TaskSettings& settings, NodeId first,
                                 std::vector<RankCapacity> ranks)
    : system(owner),
      first_node(first),
      stays_from(settings.stays_from),
      losses(settings, owner.endpoint().rank()),
      submission_limit(*this, settings.most_tasks),
      objects(owner.endpoint()),
      capacities(std::move(ranks)),
      shipping(*this),
      router(*this),
      ledger(capacities[owner.endpoint().rank().index()]),
      cluster(owner.endpoint().ranks()),
      gang_scheduler(capacities, owner.endpoint().host_of_rank()),
      gangs(*this),
      node(owner),
      mail(*this) {}

NodeId TaskSystem::add_nodes(std::vector<NodePlace>& places, std::uint32_t ranks) {
  const NodeId first(static_cast<std::uint32_t>(places.size()));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const char* const name : {"tasks", "desk", "values"}) {
      places.push_back({RankId(rank), fmt::format("slipway.{}/{}", name, rank)});
    }
  }
  return first;
}

TaskSystem& TaskSystem::of_this_thread() {
  if (TaskSystem* const tasks = Endpoint::of_this_thread().tasks()) return *tasks;
  throw UsageError("this rank runs no tasks (it was started without them)");
}

TaskSystem::TaskSystem(Endpoint& endpoint, const TaskSettings& settings, NodeId first_node,
                       std::vector<RankCapacity> ranks)
    : endpoint_(endpoint),
      seed_(settings.seed),
      parts_(std::make_unique<TaskSystemParts>(*this, settings, first_node, std::move(ranks))) {
  const RankId rank = endpoint.rank();
  endpoint.add_local(parts_->tasks_node(rank), typeid(TaskNode), {}).construct_done(&parts_->node);
  for (const NodeId node : {parts_->desk(rank), parts_->values_node(rank)}) {
    endpoint.add_local(node, typeid(TaskNode), {.on_poller = true}).construct_done(&parts_->node);
  }
}

// The endpoint has stopped.
TaskSystem::~TaskSystem() {
  parts_->over.store(true, std::memory_order_release);
  close("the program has ended");
  parts_->drop_waiting();
  for (TaskBase* const task : parts_->wide.take_all()) parts_->ready.push(task);
  while (TaskBase* const task = parts_->ready.pop()) {
    task->take_and_run();  // which only says so, and may give others what they have waited for
    task->release();
  }
  parts_->objects.clear();
}

void TaskSystem::push(TaskBase* task) {
  parts_->ready.push(task);
  parts_->call_runner();
}

void TaskSystem::look_for_help() { parts_->share_tasks(Shipping::By::user_thread); }

void TaskSystem::trace_into(const std::filesystem::path& file, const TaskEventsHead& head, std::uint32_t rate) {
  parts_->events.begin(file, head, rate, submitted_.load(std::memory_order_relaxed));
}

void TaskSystem::log_waits_into(const std::filesystem::path& file, std::uint64_t most_bytes) {
  parts_->waits.log_into(file, most_bytes);
}
void TaskSystem::repeat_waits(std::span<const WaitRecord> records) { parts_->waits.repeat(records); }
std::uint64_t TaskSystem::strayed_waits() const { return parts_->waits.strayed(); }

void TaskSystem::write_traces() {
  parts_->events.drain(submitted_.load(std::memory_order_relaxed));
  if (!parts_->waits.drain())
    endpoint_.log().warning("waits are not logged any more (the file is full): a replay goes no further than this");
}

void TaskSystem::look_around() { parts_->shipping.look_around(); }

bool TaskSystem::has_messages() const { return parts_->mail.is_under_way(); }

std::size_t TaskSystem::lent_values() const { return parts_->objects.owned_count(); }
std::size_t TaskSystem::borrowed_values() const { return parts_->objects.borrowed_count(); }

std::uint64_t TaskSystem::values_given() const { return parts_->values_given.load(std::memory_order_relaxed); }

std::exception_ptr TaskSystem::closed_error() const { return std::make_exception_ptr(Stopped(parts_->closed_reason)); }

bool TaskSystem::is_closed() const { return parts_->closed.load(std::memory_order_acquire); }

void TaskSystem::close(const std::string& reason) {
  if (parts_->closed.load(std::memory_order_acquire)) return;
  parts_->closed_reason = reason;
  parts_->closed.store(true, std::memory_order_release);
  parts_->drop_waiting();
}

}  // namespace slipway::detail
