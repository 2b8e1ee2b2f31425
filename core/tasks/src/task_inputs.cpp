// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// What a task needs before it can run: first the outcomes of what it was given, on any rank; then the values, where it
// is to run.
#include <algorithm>
#include <mutex>
#include <utility>

#include "lineage.hpp"
#include "missing_values.hpp"
#include "placement.hpp"
#include "slipway/rpc/runnable.hpp"
#include "slipway/tasks/argument.hpp"
#include "slipway/tasks/task.hpp"
#include "task_origin.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

// Of many that a task waits for one after the other, the first and the last ones are worth an event.
constexpr std::size_t missing_that_are_told = 4;

}  // namespace

void TaskBase::start() {
  const std::uint64_t serial = system_.count_submitted();
  if (!is_guest()) trace_start(serial);
  if (is_guest() && !system_.parts().guests.add(*this)) cancelled_.store(true, std::memory_order_relaxed);
  thread_local std::vector<ObjectPart*> missing;
  missing.clear();
  RefCollector collector(RefCollector::Kind::missing, missing);
  collect(collector);
  if (!missing.empty()) await(missing, 0);
  if (extras() && extras()->timeout.count() > 0) start_timer();
  TaskSystem& system = system_;  // a guest may be over, and gone, once it is ready
  const bool guest = is_guest();
  advance();
  if (guest) return;
  system.look_for_help();
  system.parts().submission_limit.submitted(serial);
}

void TaskBase::await(const std::vector<ObjectPart*>& values, std::uint64_t bytes_to_fetch) {
  if (values.size() > missing_that_are_told) trace_wait(values.back());
  auto missing = std::make_unique<MissingValues>(values, bytes_to_fetch);
  const std::lock_guard guard(lock_);
  missing_ = std::move(missing);
}

void TaskBase::notify(CallState&) { go_on(); }

void TaskBase::go_on() {
  const bool routed = asks() && !is_guest();
  TaskSystemParts& parts = system_.parts();
  advance();
  if (routed) parts.call_looker();
}

// As far as it gets without waiting. The last step takes over the reference of who submitted.
void TaskBase::advance() {
  if (!await_missing()) return;
  TaskSystemParts& parts = system_.parts();
  if (asks()) {
    if (extras()->at_its_place) return parts.give_resources(*this);
    choose_near();
    return parts.find_place(*this);
  }
  if (!has_inputs_here()) return;
  if (make_ready()) {
    system_.push(this);
  } else {
    release();  // dropped meanwhile
  }
}

// Hangs itself on the next value that is not there. One at a time needs no memory for each.
bool TaskBase::await_missing() {
  bool waited = false;
  while (true) {
    StateRef<> next;  // with a reference: who drops the task lets go of its arguments
    {
      const std::lock_guard guard(lock_);
      waited = waited || missing_;
      while (missing_) {
        CallState& state = missing_->next()->state();
        if (!state.done()) {
          next = StateRef<>::share(&state);
          if (missing_->size() <= missing_that_are_told) trace_wait(missing_->next());
          break;
        }
        const bool may_come_again = missing_->are_sources() && missing_->next()->is_lost();
        if (state.failed() && !may_come_again)
          failed_input_.store(missing_->next(), std::memory_order_release);  // in the end the first of them
        missing_->pop();
        if (!missing_->empty()) continue;
        if (missing_->are_sources()) system_.parts().bandwidth.note(missing_->bytes(), seam::now() - missing_->began());
        missing_.reset();
      }
    }
    if (!next) break;
    if (next->attach(*this)) return false;
  }
  if (is_guest()) return true;
  if (asks()) {
    trace({.kind = TaskEvent::Kind::routed});
  } else if (waited) {
    trace({.kind = TaskEvent::Kind::ready});
  }
  return true;
}

TaskBase* TaskBase::missing_task() {
  if (phase_.load(std::memory_order_acquire) != Phase::waiting) return nullptr;
  const std::lock_guard guard(lock_);
  if (!missing_) return nullptr;
  for (std::size_t left = missing_->size(); left > 0; --left) {
    ObjectPart* const each = missing_->at(left - 1);
    if (each->state().done()) continue;
    TaskBase* const maker = each->maker();
    if (maker) maker->retain();
    return maker;
  }
  return nullptr;
}

std::vector<ObjectPart*> TaskBase::large_inputs() {
  std::vector<ObjectPart*> inputs;
  RefCollector collector(RefCollector::Kind::large, inputs);
  collect(collector);
  return inputs;
}

// Whoever has the task alone may look at its arguments: it is taken meanwhile. What is fetched is asked for by a thread
// that may wait for room.
bool TaskBase::has_inputs_here() {
  if (!may_need_fetching() || has_failed_input() || !take_waiting()) return true;
  const auto inputs = large_inputs();
  for (ObjectPart* const input : inputs) {
    ObjectPart& at = input->located();
    if (at.state().failed() && !at.is_lost()) failed_input_.store(&at, std::memory_order_release);
  }
  const bool all_here = std::all_of(inputs.begin(), inputs.end(), [](ObjectPart* input) { return input->is_here(); });
  if (all_here) {
    phase_.store(Phase::waiting, std::memory_order_release);
  } else {
    system_.endpoint().run_beside(new Job([this] { fetch_inputs(); }));
  }
  return all_here;
}

void TaskBase::fetch_inputs() {
  const auto inputs = large_inputs();
  if (may_leave() && times_lost() == 0 && send_to_inputs(inputs)) return;
  std::vector<ObjectPart*> sources;
  std::uint64_t bytes = 0;
  for (ObjectPart* const input : inputs) {
    if (input->located().is_lost()) recover(*input, input->located());
    ObjectPart& at = input->located();
    if (at.state().done()) continue;
    at.want();
    sources.push_back(&at);
    bytes += input->elsewhere()->bytes;
  }
  if (!sources.empty()) await(sources, bytes);
  phase_.store(Phase::waiting, std::memory_order_release);
  go_on();
}

bool TaskBase::send_to_inputs(const std::vector<ObjectPart*>& inputs) {
  const RankId best = best_place(system_.parts(), inputs);
  return best != system_.endpoint().rank() && system_.parts().shipping.send_without_lease(*this, best);
}

// Where what it asks for is to be found, if several ranks have it.
void TaskBase::choose_near() {
  TaskAsks& asked = *extras()->asks;
  const bool chosen = asked.on_rank != RankId::none || asked.near_rank != RankId::none;
  if (is_guest() || chosen || !may_need_fetching() || has_failed_input() || !take_waiting()) return;
  const auto inputs = large_inputs();
  const bool any_away = std::any_of(inputs.begin(), inputs.end(), [](ObjectPart* input) { return !input->is_here(); });
  if (any_away) asked.near_rank = best_place(system_.parts(), inputs).value();
  phase_.store(Phase::waiting, std::memory_order_release);
}

}  // namespace slipway::detail
