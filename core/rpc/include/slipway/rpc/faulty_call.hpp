// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "slipway/rpc/call.hpp"
#include "slipway/rpc/edge_faults.hpp"
#include "slipway/rpc/pass_outcome.hpp"

// Every call can meet a test's fault, so what its method's types are not needed for is in faulty_call.cpp.
namespace slipway::detail {

// The part of a call that a test holds back which knows the method: its arguments.
class HeldArguments {
 public:
  virtual ~HeldArguments() = default;
  virtual StateRef<> new_state() const = 0;
  // Once: makes the call. One reference to `state` is taken over.
  virtual void dispatch(Endpoint& endpoint, const CallSetup& setup, CallState* state) = 0;
  // To states of new_state's type.
  virtual void pass(CallState& from, CallState& to) const = 0;
};

template <class T, auto Method>
class HeldArgumentsOf final : public HeldArguments {
  using State = ResultState<ResultOf<Method>>;

 public:
  template <class... Args>
  explicit HeldArgumentsOf(std::in_place_t, Args&&... args) : values_(std::forward<Args>(args)...) {}

  StateRef<> new_state() const override { return StateRef<>(new State); }
  void dispatch(Endpoint& endpoint, const CallSetup& setup, CallState* state) override {
    std::apply([&](auto&... each) { dispatch_now<T, Method>(endpoint, setup, state, std::move(each)...); }, values_);
  }
  void pass(CallState& from, CallState& to) const override {
    pass_outcome(static_cast<State&>(from), static_cast<State&>(to));
  }

 private:
  typename Signature<decltype(Method)>::Values values_;
};

// What a test does to the call. `state`: nullptr for a post. Where the call fails at once, one reference is taken over.
enum class Fate : std::uint8_t { passes, fails, waits };
Fate fate_of(EdgeFaults& faults, Endpoint& endpoint, const CallSetup& setup, CallState* state);
// One reference to `state` is taken over.
void hold_call(EdgeFaults& faults, Endpoint& endpoint, const CallSetup& setup, CallState* state,
               std::unique_ptr<HeldArguments> arguments);

// True: the call is not to be made now.
template <class T, auto Method, class... Args>
bool intercept(EdgeFaults& faults, Endpoint& endpoint, const CallSetup& setup, CallState* state, Args&&... args) {
  const Fate fate = fate_of(faults, endpoint, setup, state);
  if (fate == Fate::waits) {
    StateRef<> mine(state);  // user code may throw
    auto arguments = std::make_unique<HeldArgumentsOf<T, Method>>(std::in_place, std::forward<Args>(args)...);
    hold_call(faults, endpoint, setup, mine.take(), std::move(arguments));
  }
  return fate != Fate::passes;
}

}  // namespace slipway::detail
