// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "slipway/rpc/call.hpp"
#include "slipway/rpc/loan.hpp"

// handle.get: call and wait in one. The caller is there until the end, so its arguments stay where they lie.
// Contract 5.
namespace slipway::detail {

// What a waiting call holds of an argument: a reference, or a value where the parameter's type is another, or where the
// handler takes over what the caller keeps.
template <class Parameter, class Argument>
struct LentAs {
  using Value = std::remove_cvref_t<Parameter>;
  static constexpr bool same = std::is_same_v<Value, std::remove_cvref_t<Argument>>;
  static constexpr bool may_move = same && std::is_same_v<Argument&&, Value&&>;
  static constexpr bool only_looked_at = !std::is_rvalue_reference_v<Parameter>;
  using type = std::conditional_t<may_move, Value&&, std::conditional_t<same && only_looked_at, const Value&, Value>>;
};

template <class Parameters, class... Args>
struct Lent;
template <class... P, class... Args>
struct Lent<std::tuple<P...>, Args...> {
  using Values = std::tuple<typename LentAs<P, Args>::type...>;
  static constexpr bool all_raw = AllRaw<std::remove_cvref_t<P>...>;
  static Writer& writer(const Endpoint& endpoint, NodeId node) {
    return writer_of_call<std::remove_cvref_t<P>...>(endpoint, node);
  }
};

// An idle node of this rank: its handler runs here and now.
template <class T, auto Method, class... Args>
ResultOf<Method> run_and_get(NodeSlot& slot, const CallOptions& options, Args&&... args) {
  using S = Signature<decltype(Method)>;
  // A coroutine may outlive the wait, and its arguments with it.
  using Values = std::conditional_t<AsyncResult<typename S::Result>::is_async, typename S::Values,
                                    typename Lent<typename S::Parameters, Args...>::Values>;
  using State = ResultState<ResultOf<Method>>;
  StateRef<State> state(new State);
  const CallSetup setup = make_setup(slot.id, MethodRow<T, Method>::entry(), options);
  LocalCallBase* entry = nullptr;
  state->retain_unshared();
  try {
    entry = new LocalCall<T, Method, Values>(setup, state.get(), std::forward<Args>(args)...);
  } catch (...) {  // out of a conversion of an argument
    slot.strand_returned();
    throw;
  }
  entry->take_index();
  run_entered(slot, entry);
  return Future<ResultOf<Method>>(std::move(state)).get();
}

template <class T, auto Method, class... Args>
ResultOf<Method> lend_and_get(Endpoint& endpoint, NodeId node, const CallOptions& options, Args&&... args) {
  using L = Lent<typename Signature<decltype(Method)>::Parameters, Args...>;
  using State = ResultState<ResultOf<Method>>;
  StateRef<State> state(new State);
  CallSetup setup = make_setup(node, MethodRow<T, Method>::entry(), options);
  setup.caller_waits = true;
  const typename L::Values values(std::forward<Args>(args)...);
  Loan loan(endpoint, node);
  state->retain_unshared();
  send_values(endpoint, setup, state.get(), L::writer(endpoint, node), values, [&loan] { return loan.lend(); });
  return Future<ResultOf<Method>>(std::move(state)).get();
}

// With a time limit the call copies what it would have to wait for: the limit holds however slow the transport is.
inline bool has_time_limit(const CallOptions& options) {
  return options.timeout.count() > 0 || (current.activity && current.activity->deadline != seam::never);
}

template <class T, auto Method, class... Args>
ResultOf<Method> call_and_get_with_values(NodeId node, const CallOptions& options, Args&&... args) {
  check_call<T, Method, Args...>();
  Endpoint& endpoint = Endpoint::of_this_thread();
  if (node.index() < endpoint.node_count() && !active_faults(endpoint)) {
    if (NodeSlot* const slot = enter_if_idle(endpoint, node)) {
      return run_and_get<T, Method>(*slot, options, std::forward<Args>(args)...);
    }
    if constexpr (!Lent<typename Signature<decltype(Method)>::Parameters, Args...>::all_raw) {
      const bool as_bytes = !endpoint.local(node) || endpoint.settings().serialize_local;
      if (as_bytes && !has_time_limit(options)) {
        return lend_and_get<T, Method>(endpoint, node, options, std::forward<Args>(args)...);
      }
    }
  }
  return begin_call<T, Method>(node, options, Caller::waits, std::forward<Args>(args)...)->get();
}

template <class T, auto Method, class... Args>
ResultOf<Method> call_and_get(NodeId node, const CallOptions& options, Args&&... args) {
  if constexpr (has_stand_ins<Method, Args...>) {
    return with_values<Method>(
        [&]<class... Values>(Values&&... values) {
          return call_and_get<T, Method>(node, options, std::forward<Values>(values)...);
        },
        std::forward<Args>(args)...);
  } else {
    return call_and_get_with_values<T, Method>(node, options, std::forward<Args>(args)...);
  }
}

}  // namespace slipway::detail
