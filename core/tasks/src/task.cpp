// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/task.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "missing_values.hpp"
#include "running_task.hpp"
#include "slipway/base/stack.hpp"
#include "slipway/observe/last_words.hpp"
#include "slipway/rpc/async.hpp"
#include "slipway/tasks/gang.hpp"
#include "slipway/tasks/gang_seat.hpp"
#include "slipway/tasks/task_error.hpp"
#include "slipway/tasks/task_function.hpp"
#include "slipway/tasks/task_system.hpp"
#include "slipway/tasks/wait.hpp"
#include "task_origin.hpp"
#include "task_path.hpp"
#include "task_system_parts.hpp"
#include "task_timer.hpp"

namespace slipway::detail {

namespace {

// A task that keeps more cores busy than one, or none, counts as so many.
class CoresScope {
 public:
  CoresScope(Endpoint& endpoint, const TaskAsks* asks) : endpoint_(endpoint), changes_(asks != nullptr) {
    if (changes_) before_ = endpoint_.set_cores({.all = asks->cores(), .of_tasks = asks->cores()});
  }
  ~CoresScope() {
    if (changes_) static_cast<void>(endpoint_.set_cores(before_));
  }
  CoresScope(const CoresScope&) = delete;
  CoresScope& operator=(const CoresScope&) = delete;

 private:
  Endpoint& endpoint_;
  const bool changes_;
  BusyCores before_;
};

// Of this thread, in nanoseconds.
std::uint64_t processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

bool ObjectPart::is_kept_for_others() const { return maker_ && maker_->is_guest(); }

ObjectPart::~ObjectPart() {
  if (maker_) maker_->release();
}

// By a list instead of recursion: chains of tasks may be long. Tasks inside tasks are a recursion: where the stack gets
// short another thread goes on with them.
bool ObjectPart::run_maker() const {
  if (!maker_ || stack_is_short()) return false;
  maker_->retain();
  std::vector<TaskBase*> chain{maker_};  // each makes what the one before it lacks
  bool ran = false;
  while (!chain.empty()) {
    if (TaskBase* const missing = chain.back()->missing_task()) {
      chain.push_back(missing);
      continue;
    }
    if (!chain.back()->take_and_run()) break;
    ran = chain.size() == 1;
    chain.back()->release();
    chain.pop_back();
  }
  for (TaskBase* const task : chain) task->release();
  return ran;
}

std::string ObjectPart::describe_maker() const {
  if (is_borrowed()) return fmt::format("a value of rank {}", owner().value());
  return maker_ ? "task " + maker_->path() : std::string("a value that was put");
}

std::uint64_t next_object_id() {
  Activity& activity = activity_of_this_thread(Endpoint::of_this_thread());
  return child_id(child_id(activity.id, activity.next_call++), 0);
}

TaskBase::Extras* TaskBase::make_extras(const On& on) {
  const TaskOptions& options = on.options;
  auto asks = TaskAsks::from(on);
  const bool is_plain = !asks && options.priority == 0 && options.retry_exceptions == 0 &&
                        options.timeout.count() <= 0 && options.max_retries == TaskOptions().max_retries;
  if (is_plain) return nullptr;
  auto extras = std::make_unique<Extras>();
  if (asks) extras->asks = std::move(*asks);
  extras->priority = options.priority;
  extras->retries = options.retry_exceptions;
  extras->timeout = options.timeout;
  extras->max_retries = options.max_retries;
  return extras.release();
}

TaskBase::Extras::~Extras() = default;

TaskBase::Extras& TaskBase::need_extras() {
  if (!extras()) extras_.pointer.store(new Extras, std::memory_order_release);
  return *extras();
}

TaskBase::TaskBase(const MethodEntry& function, const On& on)
    : trace_level_(EventLog::unseen),
      extras_(make_extras(on)),
      own_name_(on.options.name),
      system_(TaskSystem::of_this_thread()),
      function_(function) {
  if (asks()) system_.parts().check_possible(*asks());
  Activity& activity = activity_of_this_thread(system_.endpoint());
  id_ = child_id(activity.id, activity.next_call++);
  chain_ = activity.chain;
  parent_ = TaskPath::of(activity);
}

TaskBase::TaskBase(const TaskBase& lost, std::uint32_t lost_attempts)
    : trace_level_(EventLog::unseen),
      extras_(new Extras),
      own_name_(lost.own_name_),
      system_(lost.system_),
      function_(lost.function_),
      id_(lost.id_),
      chain_(lost.chain_),
      parent_(lost.parent_) {
  parent_->retain();
  Extras& mine = *extras();
  const Extras& others = *lost.extras();
  mine.asks = others.asks;
  mine.priority = others.priority;
  mine.retries = others.retries;
  mine.max_retries = others.max_retries;
  mine.lost = lost_attempts;
}

TaskBase::~TaskBase() {
  if (TaskPath* const own = own_path_.load(std::memory_order_acquire)) own->release();
  if (parent_) parent_->release();
}

TaskPath* TaskBase::path_of_children() {
  TaskPath* own = own_path_.load(std::memory_order_acquire);
  if (!own) {
    parent_->retain();
    auto* const made = new TaskPath(name(), parent_);
    if (own_path_.compare_exchange_strong(own, made, std::memory_order_acq_rel)) {
      own = made;
    } else {
      made->release();  // another thread of the task, or who cancels it, was first
    }
  }
  own->retain();
  return own;
}

const char* TaskBase::name() const { return own_name_ ? own_name_ : function_.name.c_str(); }
std::string TaskBase::path() const { return parent_->text() + " > " + name(); }

bool TaskBase::change(Phase from, Phase to) {
  return phase_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
}
bool TaskBase::make_ready() { return change(Phase::waiting, Phase::ready); }
bool TaskBase::take() { return change(Phase::ready, Phase::taken); }
bool TaskBase::take_waiting() { return change(Phase::waiting, Phase::taken); }
void TaskBase::put_back() {
  trace({.kind = asks() ? TaskEvent::Kind::routed : TaskEvent::Kind::ready});
  phase_.store(asks() ? Phase::waiting : Phase::ready, std::memory_order_release);
}

void TaskBase::grant(std::vector<std::uint32_t> gpus) {
  extras()->gpus = std::move(gpus);
  extras()->granted.store(true, std::memory_order_release);
}

void TaskBase::take_seat(GangSeat seat) {
  need_extras();
  if (!extras()->asks) extras()->asks.emplace();  // for a rank, which will be found
  extras()->seat = std::make_unique<GangSeat>(std::move(seat));
}

void TaskBase::place(const std::vector<std::uint32_t>& ranks) {
  extras()->seat->ranks = ranks;
  extras()->asks->on_rank = ranks.at(extras()->seat->member);
}

bool TaskBase::take_and_run() {
  if (!take()) return false;
  run();
  return true;
}

bool TaskBase::end_before_it_begins() {
  Phase phase = phase_.load(std::memory_order_acquire);
  do {
    if (phase != Phase::ready && phase != Phase::waiting) return false;
  } while (!phase_.compare_exchange_weak(phase, Phase::over, std::memory_order_acq_rel));
  return true;
}

bool TaskBase::drop(const std::exception_ptr& error) {
  if (!end_before_it_begins()) return false;
  fail_objects(error, Expected::yes);
  leave_dropped();
  return true;
}

void TaskBase::leave_dropped() {
  trace_end(TaskEvent::Kind::ended, system_.is_closed() ? TaskEnd::stopped : TaskEnd::cancelled, 0);
  leave();
}

void TaskBase::run() {
  std::uint64_t used = 0;  // of the processor
  TaskEnd end = TaskEnd::ok;
  if (has_failed_input()) {
    end = end_by_input();
    fail_objects(error_of_input(), end == TaskEnd::input_failed ? Expected::no : Expected::yes);
  } else if (system_.is_closed()) {
    fail_objects(system_.closed_error(), Expected::yes);
    end = TaskEnd::stopped;
  } else if (stop_requested()) {
    fail_objects(cancelled_error(HandlerRan::no), Expected::yes);
    end = TaskEnd::cancelled;
  } else {
    const std::uint64_t before = leaves_trace() ? processor_time() : 0;
    end = call_function();
    used = leaves_trace() ? processor_time() - before : 0;
  }
  trace_end(TaskEvent::Kind::ended, end, used);
  leave();
}

TaskEnd TaskBase::end_by_input() const {
  if (system_.is_closed()) return TaskEnd::stopped;
  const bool cancelled =
      outcome_of(failed_input_.load(std::memory_order_acquire)->state().error()) == Outcome::cancelled;
  return cancelled ? TaskEnd::cancelled : TaskEnd::input_failed;
}

TaskEnd TaskBase::call_function() {
  const CoresScope cores(system_.endpoint(), asks());
  if (origin_) origin_->began = seam::now();
  Attempt tried;
  do {
    if (extras()) ++extras()->tries;
    tried = try_call();
  } while (tried.error && tried.has_arguments && may_try_again());
  const std::exception_ptr& error = tried.error;
  if (error) fail_objects(own_error(error), Expected::no);
  if (origin_) origin_->ran_for = seam::now() - origin_->began;
  if (is_cancelled()) return TaskEnd::cancelled;
  return error ? TaskEnd::failed : TaskEnd::ok;
}

TaskBase::Attempt TaskBase::try_call() {
  TaskActivity activity(*this);
  // What it submits must not be called like what it has submitted before.
  activity.id = attempt() == 1 ? id_ : child_id(id_, ~std::uint64_t{attempt()});
  activity.chain = chain_;
  activity.doing = name();
  const ActivityScope scope(system_.endpoint(), activity);
  const last_words::At place(system_.endpoint().settings().place, "task", name());
  trace({.detail = attempt(), .kind = TaskEvent::Kind::started});
  Attempt tried;
  try {
    if (seat()) {
      Gang gang(*this);  // waits for the others
      call(gang);
    } else {
      TaskContext context(*this);
      tries() <= retries() ? call_with_copies(context, tried) : call(context);
    }
  } catch (...) {
    tried.error = std::current_exception();
  }
  return tried;
}

// As bytes: not all that can be sent can be copied.
void TaskBase::call_with_copies(TaskContext& context, Attempt& tried) {
  Writer kept;
  write_arguments(kept);
  try {
    call(context);
  } catch (...) {
    tried.error = std::current_exception();
    kept.sent();
    tried.has_arguments = take_arguments_back(kept.body());
  }
}

bool TaskBase::take_arguments_back(std::span<const std::byte> bytes) {
  try {
    Reader reader(bytes);
    read_arguments(reader);
    return true;
  } catch (...) {  // the user's own serialize threw: what the function threw is told
    return false;
  }
}

// After it has thrown. One of several results that is out cannot be made again.
bool TaskBase::may_try_again() {
  if (stop_requested()) return false;
  const auto made = objects();
  return std::none_of(made.begin(), made.end(), [](ObjectPart* each) { return each->state().done(); });
}

void TaskBase::leave() {
  if (is_guest() && !system_.parts().over.load(std::memory_order_acquire)) {
    send_outcome();
    system_.parts().guests.remove(*this);
  }
  phase_.store(Phase::over, std::memory_order_release);
  if (asks()) system_.parts().take_resources_back(*this);
  if (seat() && !is_guest()) system_.parts().gangs.member_ended(*this);
  lock_.lock();
  missing_.reset();  // they live no longer than the arguments
  lock_.unlock();
  keeps_arguments() ? keep_arguments() : drop_arguments();
  for (ObjectPart*& object : objects()) {
    lock_.lock();
    ObjectPart* const mine = std::exchange(object, nullptr);
    lock_.unlock();
    mine->state().release();
  }
  if (extras() && extras()->timer) extras()->timer->end();
  system_.count_finished();
}

void TaskBase::start_timer() {
  retain();
  extras()->timer = new TaskTimer(*this, system_, seam::after(extras()->timeout));
  extras()->timer->start();  // from here on the task may be over
}

bool TaskBase::time_out() {
  const bool dropped = end_before_it_begins();
  const auto milliseconds = std::chrono::duration<double, std::milli>(extras()->timeout).count();
  fail_objects(
      std::make_exception_ptr(Timeout(fmt::format("task {} had no outcome in time ({:.6g} ms)", path(), milliseconds),
                                      dropped ? HandlerRan::no : HandlerRan::maybe)),
      Expected::yes);
  ask_to_stop(false);  // after that: what the task makes of it comes too late
  leave_gang();
  return dropped;
}

void TaskBase::end_late(bool dropped) {
  if (dropped) {
    leave_dropped();
  } else {
    system_.parts().shipping.tell_cancelled(*this, false);
  }
}

// Of a guest they are known to this rank alone, which may have others with the ids of the rank that sent it.
std::uint64_t TaskBase::id_of_result(std::size_t index) const {
  return is_guest() ? system_.parts().objects.next_private_id() : child_id(id_, index);
}

void TaskBase::describe(CallState& object) const {
  object.info.endpoint = &system_.endpoint();
  object.info.method = &function_;
}

void TaskBase::ask_to_stop(bool children) {
  if (children) {
    TaskPath* const own = path_of_children();
    own->cancel();
    own->release();
  }
  cancelled_.store(true, std::memory_order_release);
}

// A task that runs keeps its objects until it ends; what they are is settled now.
void TaskBase::cancel(bool children) {
  if (!drop(cancelled_error(HandlerRan::no))) fail_objects(cancelled_error(HandlerRan::maybe), Expected::yes);
  ask_to_stop(children);  // after that: what the task makes of it comes too late
  leave_gang();
  system_.parts().shipping.tell_cancelled(*this, children);
}

void TaskBase::leave_gang() {
  if (seat() && !is_guest()) system_.parts().gangs.member_unwanted(*this);
}

bool TaskBase::stop_requested() const { return system_.is_closed() || is_cancelled(); }
bool TaskBase::is_cancelled() const { return cancelled_.load(std::memory_order_acquire) || parent_->is_cancelled(); }

}  // namespace slipway::detail

namespace slipway {

std::uint32_t TaskContext::attempt() const { return task_.attempt(); }
std::uint64_t TaskContext::id() const { return task_.id(); }
std::uint64_t TaskContext::seed() const { return detail::child_id(task_.system().seed(), task_.id()); }
std::string TaskContext::path() const { return task_.path(); }
bool TaskContext::stop_requested() const { return task_.stop_requested(); }
std::vector<std::uint32_t> TaskContext::gpus() const {
  return task_.asks() ? task_.gpus() : std::vector<std::uint32_t>();
}

}  // namespace slipway
