// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/faulty_call.hpp"

#include "slipway/base/error.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/rpc/runnable.hpp"

namespace slipway::detail {

namespace {

// One call held back by a test, with its caller's name. Its outcome is that of the call made later.
class HeldCall final : public DelayedSend, public Continuation, public Runnable {
 public:
  HeldCall(Endpoint& endpoint, const CallSetup& setup, CallState* outcome, std::unique_ptr<HeldArguments> arguments)
      : endpoint_(endpoint), setup_(setup), outcome_(outcome), arguments_(std::move(arguments)) {
    if (!current.activity) return;
    caller_.id = current.activity->id;
    caller_.chain = current.activity->chain;
    caller_.next_call = current.activity->next_call++;
  }
  ~HeldCall() override {
    if (outcome_ && outcome_->claim()) {
      outcome_->fail(std::make_exception_ptr(Stopped("the program ended while a test held the call back")));
    }
  }

  void send() override {
    std::unique_ptr<HeldCall> self(this);
    if (outcome_ && outcome_->done()) return;  // cancelled, or its time is over
    const ActivityScope scope(endpoint_, caller_);
    caller_.doing = "a call that a test held back";
    if (outcome_) attempt_ = arguments_->new_state();
    try {
      arguments_->dispatch(endpoint_, setup_, attempt_ ? StateRef<>::share(attempt_.get()).take() : nullptr);
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
    const std::unique_ptr<HeldCall> self(this);
    if (!outcome_->claim()) return attempt_->ignore_errors();
    arguments_->pass(*attempt_, *outcome_);
  }

 private:
  Endpoint& endpoint_;
  const CallSetup setup_;
  StateRef<> outcome_;  // none: a post
  StateRef<> attempt_;
  std::unique_ptr<HeldArguments> arguments_;
  Activity caller_;
};

NodeId calling_node() {
  const NodeSlot* const caller = current.activity ? current.activity->node : nullptr;
  return caller ? caller->id : NodeId();
}

}  // namespace

Fate fate_of(EdgeFaults& faults, Endpoint& endpoint, const CallSetup& setup, CallState* state) {
  const EdgeFault fault = faults.on_call(calling_node(), setup.node);
  if (!fault.delayed && !fault.error) return Fate::passes;
  if (state) describe_call(*state, endpoint, setup);
  if (!fault.error) return Fate::waits;
  const StateRef<> mine(state);
  if (state && state->claim()) state->fail(fault.error);
  return Fate::fails;
}

void hold_call(EdgeFaults& faults, Endpoint& endpoint, const CallSetup& setup, CallState* state,
               std::unique_ptr<HeldArguments> arguments) {
  faults.delay(endpoint, calling_node(), setup.node,
               std::make_unique<HeldCall>(endpoint, setup, state, std::move(arguments)));
}

}  // namespace slipway::detail
