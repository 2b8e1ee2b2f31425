// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include "slipway/rpc/call.hpp"
#include "slipway/rpc/pass_outcome.hpp"
#include "slipway/rpc/runnable.hpp"

namespace slipway::detail {

// One call made again when its time is over, with the arguments kept. The time limit is that of each try.
template <class T, auto Method>
class RetriedCall final : public Continuation, public Runnable {
  using Result = ResultOf<Method>;
  using Values = typename Signature<decltype(Method)>::Values;

 public:
  template <class... Args>
  RetriedCall(NodeId node, const CallOptions& options, Args&&... args)
      : node_(node),
        options_(options),
        values_(std::forward<Args>(args)...),
        endpoint_(Endpoint::of_this_thread()),
        outcome_(new ResultState<Result>) {}

  // Makes the first try. The object disposes of itself at the end.
  Future<Result> start() {
    Future<Result> future(StateRef<ResultState<Result>>::share(outcome_.get()));
    try_once();
    return future;
  }

  void notify(CallState&) override { endpoint_.run_in_pool(this); }

  void execute() override {
    if (left_to_try() && timed_out()) {
      --options_.retries;
      try_once();
      return;
    }
    const std::unique_ptr<RetriedCall> self(this);
    if (!outcome_->claim()) return;
    pass_outcome(*attempt_, *outcome_);
  }

 private:
  bool left_to_try() const { return options_.retries > 0 && !outcome_->done(); }
  bool timed_out() {
    try {
      attempt_->rethrow();
    } catch (const Timeout&) {
      return true;
    } catch (...) {
    }
    return false;
  }
  void try_once() {
    const CallSetup setup = make_setup(node_, MethodRow<T, Method>::entry(), options_);
    attempt_ = StateRef<ResultState<Result>>(new ResultState<Result>);
    auto* const state = StateRef<ResultState<Result>>::share(attempt_.get()).take();
    std::apply([&](const auto&... each) { dispatch<T, Method>(endpoint_, setup, state, each...); }, values_);
    if (!attempt_->attach(*this)) endpoint_.run_in_pool(this);
  }

  const NodeId node_;
  CallOptions options_;
  const Values values_;
  Endpoint& endpoint_;
  StateRef<ResultState<Result>> outcome_;
  StateRef<ResultState<Result>> attempt_;
};

template <class T, auto Method, class... Args>
Future<ResultOf<Method>> call_with_retries(NodeId node, const CallOptions& options, Args&&... args) {
  check_call<T, Method, Args...>();
  check_retries(MethodRow<T, Method>::entry(), options);
  return (new RetriedCall<T, Method>(node, options, std::forward<Args>(args)...))->start();
}

}  // namespace slipway::detail
