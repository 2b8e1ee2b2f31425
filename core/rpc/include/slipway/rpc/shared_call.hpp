// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "slipway/rpc/call.hpp"

// The same call to many nodes: one copy of the arguments for all of them. Contract 5.
namespace slipway::detail {

// A call inside the rank whose arguments belong to others as well.
template <class T, auto Method>
class SharedLocalCall final : public LocalCallBase {
  using Values = typename Signature<decltype(Method)>::Values;

 public:
  SharedLocalCall(const CallSetup& setup, CallState* state, std::shared_ptr<const Values> values)
      : LocalCallBase(setup, state), values_(std::move(values)) {}

 private:
  void invoke(Invocation& invocation) override {
    auto references = std::apply([](const auto&... each) { return std::tuple<decltype(each)...>(each...); }, *values_);
    run_method<T, Method>(invocation, references);
  }

  const std::shared_ptr<const Values> values_;
};

template <class T, auto Method, class... Args>
class SharedCall {
  using S = Signature<decltype(Method)>;
  using Values = typename S::Values;
  using Result = ResultOf<Method>;

 public:
  // The arguments are copied once; plain bytes, which each message holds anyway, not even that.
  SharedCall(const CallOptions& options, const Args&... args) : options_(options), arguments_(args...) {
    check_call<T, Method, const Args&...>();
    if constexpr (!all_raw) values_ = std::make_shared<Values>(args...);
  }

  Future<Result> call(NodeId node) const {
    using State = ResultState<Result>;
    StateRef<State> state(new State);
    send(node, StateRef<State>::share(state.get()).take());
    return Future<Result>(std::move(state));
  }
  void post(NodeId node) const { send(node, nullptr); }

 private:
  static constexpr bool all_raw = []<class... P>(std::type_identity<std::tuple<P...>>) {
    return AllRaw<P...>;
  }(std::type_identity<Values>{});
  // A handler that takes an rvalue, or that outlives its entry in the mailbox, needs arguments of its own.
  static constexpr bool handler_only_looks = []<class... P>(std::type_identity<std::tuple<P...>>) {
    return !AsyncResult<typename S::Result>::is_async && !(std::is_rvalue_reference_v<P> || ...);
  }(std::type_identity<typename S::Parameters>{});

  void send(NodeId node, CallState* state) const {
    Endpoint& endpoint = Endpoint::of_this_thread();
    const CallSetup setup = make_setup(node, MethodRow<T, Method>::entry(), options_);
    if constexpr (all_raw) {
      std::apply([&](const auto&... each) { dispatch<T, Method>(endpoint, setup, state, each...); }, arguments_);
    } else {
      dispatch_shared(endpoint, setup, state);
    }
  }

  void dispatch_shared(Endpoint& endpoint, const CallSetup& setup, CallState* state) const {
    NodeSlot* const slot = endpoint.local(setup.node);
    if (active_faults(endpoint)) {
      dispatch_own(endpoint, setup, state);
    } else if (!slot || endpoint.settings().serialize_local) {
      [&]<class... P>(std::type_identity<std::tuple<P...>>) {
        Writer& writer = writer_of_call<P...>(endpoint, setup.node);
        send_values(endpoint, setup, state, writer, std::as_const(*values_), [this] { return values_; });
      }(std::type_identity<Values>{});
    } else if constexpr (handler_only_looks) {
      admit_entry(endpoint, setup, *slot, state, std::make_unique<SharedLocalCall<T, Method>>(setup, state, values_));
    } else {
      dispatch_own(endpoint, setup, state);
    }
  }
  void dispatch_own(Endpoint& endpoint, const CallSetup& setup, CallState* state) const {
    std::apply([&](const auto&... each) { dispatch<T, Method>(endpoint, setup, state, each...); },
               std::as_const(*values_));
  }

  const CallOptions options_;
  const std::tuple<const Args&...> arguments_;
  std::shared_ptr<Values> values_;  // read by messages under way; nobody writes it
};

}  // namespace slipway::detail
