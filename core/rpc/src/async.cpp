// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/async.hpp"

#include <memory>

#include "endpoint_parts.hpp"
#include "slipway/observe/last_words.hpp"
#include "slipway/rpc/combine.hpp"

namespace slipway::detail {

namespace {

thread_local CoroutineCall* running_call = nullptr;
thread_local CoroutineCall* left_suspended = nullptr;

// The next part of a suspended handler, in its node's strand.
class ResumeEntry final : public Entry, public recycled::Object {
 public:
  explicit ResumeEntry(CoroutineCall& call) : call_(call) {}
  Step run(NodeSlot& node) override {
    CoroutineCall* const call = &call_;
    const bool interleave = node.admission.interleave;
    delete this;
    const bool suspended = call->resume(call->suspended_part);
    return suspended && !interleave ? Step::suspended : Step::finished;
  }
  void drop(const char* reason) override {
    const std::unique_ptr<CoroutineCall> call(&call_);
    call->reply.endpoint->end_suspended_wait(call->activity);
    call->node->ended(call->activity);
    call->reply.fail(std::make_exception_ptr(Stopped(reason)), HandlerRan::yes);
    delete this;
  }
  bool holds(RankId, std::uint64_t) const override { return false; }

 private:
  CoroutineCall& call_;
};

// Tells the call, or resumes a coroutine that belongs to no handler on the pool.
class ResumeWhenDone final : public Continuation, public Runnable {
 public:
  ResumeWhenDone(CoroutineCall* call, std::coroutine_handle<> part)
      : call_(call), part_(part), endpoint_(Endpoint::of_this_thread()) {}
  void notify(CallState&) override {
    if (!call_) return endpoint_.run_in_pool(this);
    CoroutineCall* const call = call_;
    delete this;
    call->outcome_came();
  }
  void execute() override {
    const auto part = part_;
    delete this;
    part.resume();
  }

 private:
  CoroutineCall* const call_;
  const std::coroutine_handle<> part_;
  Endpoint& endpoint_;
};

}  // namespace

CoroutineCall::CoroutineCall(Invocation& invocation) : node(invocation.reply.node), reply(invocation.reply) {
  const Activity& from = *invocation.activity;
  activity.id = from.id;
  activity.chain = from.chain;
  activity.next_call = from.next_call;
  activity.deadline = from.deadline;
  activity.node = from.node;
  activity.caller = from.caller;
  activity.call_id.store(from.call_id.load(std::memory_order_relaxed), std::memory_order_relaxed);
  activity.local_state = from.local_state;
  activity.holds_strand = from.holds_strand && !node->admission.interleave;
}

bool CoroutineCall::resume(std::coroutine_handle<> part) {
  CoroutineCall* const before = std::exchange(running_call, this);
  {
    const ActivityScope scope(*reply.endpoint, activity);
    const last_words::At at(reply.endpoint->settings().place, node->label.c_str(),
                            reply.method ? reply.method->name.c_str() : nullptr);
    reply.endpoint->end_suspended_wait(activity);
    suspended_part = nullptr;
    steps_to_resume.store(2, std::memory_order_relaxed);
    part.resume();
  }
  running_call = before;
  if (suspended_part) {
    left_suspended = this;
    if (node->admission.interleave) settle_suspended();
    return true;
  }
  const std::unique_ptr<CoroutineCall> self(this);
  node->ended(activity);
  finished();
  return false;
}

void settle_suspended() {
  if (CoroutineCall* const call = std::exchange(left_suspended, nullptr)) call->runner_left();
}

void CoroutineCall::outcome_came() {
  if (steps_to_resume.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  auto* const entry = new ResumeEntry(*this);
  NodeSlot& slot = *node;
  if (slot.admission.interleave) {
    slot.admit(entry);
  } else {
    slot.mailbox.push_front(entry);
    slot.drop_if_closed();
    slot.strand_returned();
  }
}

void CoroutineCall::runner_left() { outcome_came(); }

bool suspend_until_done(CallState& state, std::coroutine_handle<> coroutine) {
  CoroutineCall* const call = running_call;
  if (call) {
    call->suspended_part = coroutine;
    call->reply.endpoint->begin_suspended_wait(call->activity, state);
  }
  auto* const resume = new ResumeWhenDone(call, coroutine);
  if (state.attach(*resume)) return true;
  delete resume;
  if (call) {
    call->suspended_part = nullptr;
    call->reply.endpoint->end_suspended_wait(call->activity);
  }
  return false;
}

bool start_call(CoroutineCall* call, std::coroutine_handle<> coroutine) {
  call->node->began(call->activity);
  return call->resume(coroutine);
}

void await_outcome(CallState& state) {
  Endpoint* const endpoint = state.info.endpoint ? state.info.endpoint : &Endpoint::of_this_thread();
  if (!endpoint->wait(state, state.info.deadline)) {
    endpoint->time_out(state);
    while (!state.done()) seam::pause();  // another thread is giving it its outcome
  }
  state.rethrow();
}

bool await_outcome_for(CallState& state, std::chrono::nanoseconds duration) {
  Endpoint* const endpoint = state.info.endpoint ? state.info.endpoint : &Endpoint::of_this_thread();
  return endpoint->wait(state, seam::after(duration));
}

void cancel_call(CallState& state) {
  if (state.info.endpoint) return state.info.endpoint->cancel(state);
  if (!state.claim()) return;
  state.fail(std::make_exception_ptr(Cancelled("a future made from others was cancelled", HandlerRan::maybe)));
}

std::optional<std::size_t> CompletionQueue::next(seam::Time deadline) {
  if (left() == 0) return std::nullopt;
  return next_by(
      [this]() -> std::optional<std::size_t> {
        if (done_.empty()) return std::nullopt;
        const std::size_t first = done_.front();
        done_.pop_front();
        return first;
      },
      deadline);
}

std::size_t CompletionQueue::next_of(std::size_t index) {
  const auto take = [this, index]() -> std::optional<std::size_t> {
    const auto found = std::find(done_.begin(), done_.end(), index);
    if (found == done_.end()) return std::nullopt;
    done_.erase(found);
    return index;
  };
  return next_by(take, seam::never).value();
}

bool CompletionQueue::waits_for(std::size_t index) const {
  return index < parts_.size() && std::find(free_.begin(), free_.end(), index) == free_.end();
}

std::optional<std::size_t> CompletionQueue::next_by(const std::function<std::optional<std::size_t>()>& take,
                                                    seam::Time deadline) {
  Waiter waiter;
  std::optional<std::size_t> index;
  const auto try_take = [&] {
    if (index) return true;
    lock_.lock();
    index = take();
    waiter_ = index ? nullptr : &waiter;
    if (!index) waiter.reset_if_told();  // under the lock: what comes from here on tells it again
    lock_.unlock();
    return index.has_value();
  };
  try {
    Endpoint::of_this_thread().wait_for_condition("the first of several outcomes", NodeId(), deadline, waiter,
                                                  try_take);
  } catch (...) {
    lock_.lock();
    waiter_ = nullptr;
    lock_.unlock();
    throw;
  }
  lock_.lock();
  waiter_ = nullptr;
  lock_.unlock();
  if (index) free_.push_back(*index);
  return index;
}

void CompletionQueue::part_done(std::size_t index) {
  lock_.lock();
  done_.push_back(index);
  if (waiter_) waiter_->wake();
  lock_.unlock();
  release();
}

}  // namespace slipway::detail
