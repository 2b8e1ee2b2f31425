// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/task_system.hpp"

#include "ready_queue.hpp"
#include "slipway/base/error.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/rpc/runnable.hpp"

namespace slipway::detail {

namespace {

// Then a runner looks whether handlers wait for a thread: they may take longer than tasks, but not for ever.
constexpr int tasks_a_turn = 16;

}  // namespace

// A runner is a piece of work for the pool: it runs tasks. At most one waits in the pool's queue at a time; when a
// thread takes it up and there is more, the thread sends the next one ahead. So as many threads run tasks as there are
// cores and tasks, and one that blocks is replaced like any other.
struct TaskSystemParts {
  explicit TaskSystemParts(TaskSystem& owner) : system(owner) {}

  void call_runner();
  void run_tasks();

  TaskSystem& system;
  ReadyQueue ready;
  std::atomic<bool> runner_called{false};
  std::atomic<bool> closed{false};
  std::string closed_reason;  // set before closed
};

namespace {

class Runner final : public Runnable {
 public:
  explicit Runner(TaskSystemParts& parts) : parts_(parts) {}
  void execute() override {
    TaskSystemParts& parts = parts_;
    delete this;
    parts.runner_called.store(false, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // before the look at the queue, as in its push
    parts.run_tasks();
  }

 private:
  TaskSystemParts& parts_;
};

}  // namespace

void TaskSystemParts::call_runner() {
  if (runner_called.load(std::memory_order_seq_cst) || runner_called.exchange(true, std::memory_order_seq_cst)) return;
  system.endpoint().run_in_pool(new Runner(*this));
}

void TaskSystemParts::run_tasks() {
  for (int run = 0;; ++run) {
    TaskBase* const task = ready.pop();
    if (!task) return;
    const bool others_wait = run == tasks_a_turn && system.endpoint().pool_has_work();
    if (!ready.empty() || others_wait) call_runner();
    task->take_and_run();
    task->release();
    if (others_wait) return;
    if (run == tasks_a_turn) run = 0;
  }
}

TaskSystem& TaskSystem::of_this_thread() {
  if (TaskSystem* const tasks = Endpoint::of_this_thread().tasks()) return *tasks;
  throw UsageError("this rank runs no tasks (it was started without them)");
}

TaskSystem::TaskSystem(Endpoint& endpoint, std::uint64_t seed)
    : endpoint_(endpoint), seed_(seed), parts_(std::make_unique<TaskSystemParts>(*this)) {}

TaskSystem::~TaskSystem() {
  close("the program has ended");
  while (TaskBase* const task = parts_->ready.pop()) {
    task->take_and_run();  // which only says so
    task->release();
  }
}

void TaskSystem::push(TaskBase* task) {
  parts_->ready.push(task);
  parts_->call_runner();
}

std::exception_ptr TaskSystem::closed_error() const { return std::make_exception_ptr(Stopped(parts_->closed_reason)); }

bool TaskSystem::is_closed() const { return parts_->closed.load(std::memory_order_acquire); }

void TaskSystem::close(const std::string& reason) {
  if (parts_->closed.load(std::memory_order_acquire)) return;
  parts_->closed_reason = reason;
  parts_->closed.store(true, std::memory_order_release);
}

}  // namespace slipway::detail
