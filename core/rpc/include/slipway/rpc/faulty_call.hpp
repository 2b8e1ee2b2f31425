// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include "slipway/rpc/call.hpp"
#include "slipway/rpc/edge_faults.hpp"
#include "slipway/rpc/pass_outcome.hpp"
#include "slipway/rpc/runnable.hpp"

namespace slipway::detail {

// One call held back by a test, with its arguments and its caller's name. Its outcome is that of the call made later.
template <class T, auto Method>
class DelayedCall final : public DelayedSend, public Continuation, public Runnable {
  using State = ResultState<ResultOf<Method>>;

 public:
  // `outcome`: one reference is taken over; nullptr: a post.
  template <class... Args>
  DelayedCall(Endpoint& endpoint, const CallSetup& setup, CallState* outcome, Args&&... args)
      : endpoint_(endpoint),
        setup_(setup),
        outcome_(static_cast<State*>(outcome)),
        values_(std::forward<Args>(args)...) {
    if (!current.activity) return;
    caller_.id = current.activity->id;
    caller_.chain = current.activity->chain;
    caller_.next_call = current.activity->next_call++;
  }
  ~DelayedCall() override {
    if (outcome_ && outcome_->claim()) {
      outcome_->fail(std::make_exception_ptr(Stopped("the program ended while a test held the call back")));
    }
  }

  void send() override {
    std::unique_ptr<DelayedCall> self(this);
    if (outcome_ && outcome_->done()) return;  // cancelled, or its time is over
    const ActivityScope scope(endpoint_, caller_);
    caller_.doing = "a call that a test held back";
    if (outcome_) attempt_ = StateRef<State>(new State);
    CallState* const state = attempt_ ? StateRef<State>::share(attempt_.get()).take() : nullptr;
    try {
      std::apply([&](auto&... each) { dispatch_now<T, Method>(endpoint_, setup_, state, std::move(each)...); },
                 values_);
    } catch (const CallError&) {  // no room in time, or the end of the program
      if (outcome_ && outcome_->claim()) outcome_->fail(std::current_exception());
      return;
    }
    if (!attempt_) return;
    static_cast<void>(self.release());
    if (!attempt_->attach(*this)) endpoint_.run_in_pool(this);
  }

  void notify(CallState&) override { endpoint_.run_in_pool(this); }
  void execute() override {
    const std::unique_ptr<DelayedCall> self(this);
    if (!outcome_->claim()) return attempt_->ignore_errors();
    pass_outcome(*attempt_, *outcome_);
  }

 private:
  Endpoint& endpoint_;
  const CallSetup setup_;
  StateRef<State> outcome_;
  StateRef<State> attempt_;
  typename Signature<decltype(Method)>::Values values_;
  Activity caller_;
};

template <class T, auto Method, class... Args>
bool intercept(EdgeFaults& faults, Endpoint& endpoint, const CallSetup& setup, CallState* state, Args&&... args) {
  const NodeSlot* const caller = current.activity ? current.activity->node : nullptr;
  const NodeId from = caller ? caller->id : NodeId();
  const EdgeFault fault = faults.on_call(from, setup.node);
  if (!fault.delayed && !fault.error) return false;
  if (state) {
    state->info.endpoint = &endpoint;
    state->info.method = setup.method;
    state->info.node = setup.node;
    state->info.deadline = setup.deadline;
  }
  if (fault.error) {
    const StateRef<> mine(state);
    if (state && state->claim()) state->fail(fault.error);
    return true;
  }
  faults.delay(endpoint, from, setup.node,
               std::make_unique<DelayedCall<T, Method>>(endpoint, setup, state, std::forward<Args>(args)...));
  return true;
}

}  // namespace slipway::detail
