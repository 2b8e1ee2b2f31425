// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/archive_raw.hpp"
#include "slipway/rpc/async.hpp"
#include "slipway/rpc/edge_faults.hpp"
#include "slipway/rpc/future.hpp"
#include "slipway/rpc/stand_in.hpp"
#include "slipway/rpc/transferable.hpp"

// From the typed call to the endpoint: what may be called with what, and how arguments are taken. See handle.hpp.
namespace slipway {

// Of one call. Members keep their order for ever; new ones go last (designated initialisers).
struct CallOptions {
  std::chrono::nanoseconds timeout{0};  // 0: none but what the calling handler inherited
  std::uint8_t priority = 0;
  std::uint32_t retries = 0;  // after a timeout; only for methods declared slipway::idempotent
};
static_assert(std::is_trivially_destructible_v<CallOptions>);

namespace detail {

// Whether brace initialisation takes the argument without narrowing it.
template <class Parameter, class Argument>
concept TakesWithoutNarrowing = requires(Argument&& argument) {
  Parameter{std::forward<Argument>(argument)};
}
|| (!std::is_arithmetic_v<Parameter> && std::is_convertible_v<Argument, Parameter>);

template <class Parameter>
inline constexpr bool is_value_parameter =
    !std::is_pointer_v<std::remove_reference_t<Parameter>> &&
    (!std::is_lvalue_reference_v<Parameter> || std::is_const_v<std::remove_reference_t<Parameter>>);

template <class T, auto Method>
constexpr void check_method() {
  static_assert(std::is_member_function_pointer_v<decltype(Method)>,
                "slipway: call<&T::method> needs a pointer to a member function");
  using S = Signature<decltype(Method)>;
  static_assert(std::derived_from<T, typename S::Class>,
                "slipway: this method belongs to a class that the handle's node type is not derived from");
  static_assert(
      callable<T, Method>(),
      "slipway: this method is not callable (the class has run(), or its slipway_interface does not list it)");
  using Result = ResultOf<Method>;
  static_assert(!std::is_reference_v<typename S::Result> && !std::is_pointer_v<Result>,
                "slipway: a callable method returns a value, not a reference or a pointer (it lives on another rank)");
  if constexpr (!std::is_void_v<Result>) {
    static_assert(Transferable<Result>,
                  "slipway: the method's result cannot be sent (it is a view, holds pointers, or has no serialize())");
  }
}

template <class Parameters>
struct CheckParameters;
template <class... P>
struct CheckParameters<std::tuple<P...>> {
  static_assert((is_value_parameter<P> && ...),
                "slipway: a callable method takes values or const references, no pointers or non-const references");
  static_assert(
      (Transferable<std::remove_cvref_t<P>> && ...),
      "slipway: a parameter of the method cannot be sent (it is a view, holds pointers, or has no serialize())");
  template <class... A>
  static constexpr void check_arguments() {
    static_assert(sizeof...(A) == sizeof...(P),
                  "slipway: the call has another number of arguments than the method takes");
    if constexpr (sizeof...(A) == sizeof...(P)) {
      static_assert((TakesWithoutNarrowing<std::remove_cvref_t<P>, A> && ...),
                    "slipway: an argument of the call cannot become the method's parameter, or only by narrowing");
    }
  }
};

template <class T, auto Method, class... Args>
constexpr void check_call() {
  check_method<T, Method>();
  CheckParameters<typename Signature<decltype(Method)>::Parameters>::template check_arguments<Args...>();
}

template <class From, class To>
struct UpcastRow {
  struct Registrar {
    Upcast row{&typeid(From), &typeid(To),
               [](void* object) -> void* { return static_cast<To*>(static_cast<From*>(object)); }, nullptr};
    Registrar() { register_upcast(row); }
  };
  inline static Registrar registrar;
  static void use() { (void)&registrar; }
};

// What this thread's endpoint makes of the options: absolute deadline, no longer than the calling handler's own.
CallSetup make_setup(NodeId node, const MethodEntry& method, const CallOptions& options);
void check_retries(const MethodEntry& method, const CallOptions& options);
void flush_calls();
void check_scatter(std::size_t arguments, std::size_t members);
std::size_t least_loaded_of(const std::vector<NodeId>& nodes);
// The strand of a node of this rank, if this thread may enter it at once.
NodeSlot* enter_if_idle(Endpoint& endpoint, NodeId node);
void run_entered(NodeSlot& slot, Entry* entry);

template <class Members>
std::size_t least_loaded(const Members& members) {
  std::vector<NodeId> nodes;
  nodes.reserve(members.size());
  for (const auto& member : members) nodes.push_back(member.node());
  return least_loaded_of(nodes);
}

// The argument itself where it has the parameter's type already, else a value made from it.
template <class Parameter, class Argument>
decltype(auto) as_parameter(Argument&& argument) {
  if constexpr (std::is_same_v<Parameter, std::remove_cvref_t<Argument>>) {
    return static_cast<const Parameter&>(argument);
  } else {
    return Parameter(std::forward<Argument>(argument));
  }
}

// For the arguments of one call of this thread; cleared.
template <class... P>
Writer& writer_of_call(const Endpoint& endpoint, NodeId node) {
  constexpr bool arrays_apart = (library_decodable<P> && ...);
  const bool to_itself = endpoint.rank_of(node) == endpoint.rank();
  return scratch_writer(arrays_apart && !to_itself);
}

// Sends arguments that stay where they are until the transport lets go of what `keep()` gave.
template <class Values, class Keep>
Admitted send_values(Endpoint& endpoint, const CallSetup& setup, CallState* state, Writer& writer, const Values& values,
                     Keep&& keep) {
  StateRef<> mine(state);  // until the endpoint has it: user code may throw
  const auto encode_all = [&values](Writer& target) {
    std::apply([&target](const auto&... each) { (encode(target, each), ...); }, values);
  };
  writer.clear();
  encode_all(writer);
  if (!writer.has_segments()) return endpoint.call_remote(setup, mine.take(), writer, nullptr);
  std::optional<Writer> replacement;
  fit_body(writer, encode_all, replacement);
  return endpoint.call_remote(setup, mine.take(), replacement ? *replacement : writer, keep());
}

// Sends the call as bytes.
template <auto Method, class... Args>
Admitted send_call(Endpoint& endpoint, const CallSetup& setup, CallState* state, Args&&... args) {
  using Values = typename Signature<decltype(Method)>::Values;
  StateRef<> mine(state);
  return [&]<class... P>(std::type_identity<std::tuple<P...>>) {
    if constexpr (AllRaw<P...>) {
      std::array<std::byte, wire::request_heads + raw_bytes<P...>> frame;
      encode_raw(frame.data() + wire::request_heads, as_parameter<P>(std::forward<Args>(args))...);
      return endpoint.call_remote_raw(setup, mine.take(), frame);
    } else {
      Writer& writer = writer_of_call<P...>(endpoint, setup.node);
      if constexpr ((std::is_same_v<P, std::remove_cvref_t<Args>> && ...)) {
        (encode(writer, std::as_const(args)), ...);
        if (writer.segments().empty()) return endpoint.call_remote(setup, mine.take(), writer, nullptr);
      }
      const auto kept = std::make_shared<Values>(std::forward<Args>(args)...);
      return send_values(endpoint, setup, mine.take(), writer, *kept, [&kept] { return kept; });
    }
  }(std::type_identity<Values>{});
}

// Into the mailbox of a node of this rank.
inline Admitted admit_entry(Endpoint& endpoint, const CallSetup& setup, NodeSlot& slot, CallState* state,
                            std::unique_ptr<LocalCallBase> entry) {
  if (state) state->place.set_entry(entry.get());
  const Admitted admitted = endpoint.admit_local(setup, slot, entry.get());
  if (admitted == Admitted::yes) static_cast<void>(entry.release());
  return admitted;
}

template <class T, auto Method, class... Args>
Admitted dispatch_now(Endpoint& endpoint, const CallSetup& setup, CallState* state, Args&&... args) {
  NodeSlot* const slot = endpoint.local(setup.node);
  if (!slot || endpoint.settings().serialize_local) {
    return send_call<Method>(endpoint, setup, state, std::forward<Args>(args)...);
  }
  return admit_entry(endpoint, setup, *slot, state,
                     std::make_unique<LocalCall<T, Method>>(setup, state, std::forward<Args>(args)...));
}

// Defined in faulty_call.hpp: a call along an edge that a test makes slow or broken.
template <class T, auto Method, class... Args>
bool intercept(EdgeFaults& faults, Endpoint& endpoint, const CallSetup& setup, CallState* state, Args&&... args);

template <class T, auto Method, class... Args>
Admitted dispatch(Endpoint& endpoint, const CallSetup& setup, CallState* state, Args&&... args) {
  if (EdgeFaults* const faults = active_faults(endpoint)) [[unlikely]] {
    if (intercept<T, Method>(*faults, endpoint, setup, state, std::forward<Args>(args)...)) return Admitted::yes;
  }
  return dispatch_now<T, Method>(endpoint, setup, state, std::forward<Args>(args)...);
}

// How the caller goes on after a call.
enum class Caller : std::uint8_t { goes_on, goes_on_without_room, waits };

template <class T, auto Method, class... Args>
std::optional<Future<ResultOf<Method>>> begin_call_with_values(NodeId node, const CallOptions& options, Caller caller,
                                                               Args&&... args);

template <class T, auto Method, class... Args>
std::optional<Future<ResultOf<Method>>> begin_call(NodeId node, const CallOptions& options, Caller caller,
                                                   Args&&... args) {
  if constexpr (has_stand_ins<Method, Args...>) {
    return with_values<Method>(
        [&]<class... Values>(Values&&... values) {
          return begin_call<T, Method>(node, options, caller, std::forward<Values>(values)...);
        },
        std::forward<Args>(args)...);
  } else {
    return begin_call_with_values<T, Method>(node, options, caller, std::forward<Args>(args)...);
  }
}

template <class T, auto Method, class... Args>
std::optional<Future<ResultOf<Method>>> begin_call_with_values(NodeId node, const CallOptions& options, Caller caller,
                                                               Args&&... args) {
  check_call<T, Method, Args...>();
  using State = ResultState<ResultOf<Method>>;
  const MethodEntry& method = MethodRow<T, Method>::entry();
  if constexpr (!idempotent<Method>) check_retries(method, options);
  Endpoint& endpoint = Endpoint::of_this_thread();
  CallSetup setup = make_setup(node, method, options);
  setup.try_only = caller == Caller::goes_on_without_room;
  setup.caller_waits = caller == Caller::waits;
  StateRef<State> state(new State);
  state->retain_unshared();
  if (dispatch<T, Method>(endpoint, setup, state.get(), std::forward<Args>(args)...) == Admitted::full) {
    return std::nullopt;
  }
  return Future<ResultOf<Method>>(std::move(state));
}

template <class T, auto Method, class... Args>
Future<ResultOf<Method>> call(NodeId node, const CallOptions& options, Args&&... args) {
  return std::move(*begin_call<T, Method>(node, options, Caller::goes_on, std::forward<Args>(args)...));
}

template <class T, auto Method, class... Args>
std::optional<Future<ResultOf<Method>>> try_call(NodeId node, const CallOptions& options, Args&&... args) {
  return begin_call<T, Method>(node, options, Caller::goes_on_without_room, std::forward<Args>(args)...);
}

template <class T, auto Method, class... Args>
void post_values(NodeId node, const CallOptions& options, Args&&... args) {
  check_call<T, Method, Args...>();
  Endpoint& endpoint = Endpoint::of_this_thread();
  const CallSetup setup = make_setup(node, MethodRow<T, Method>::entry(), options);
  dispatch<T, Method>(endpoint, setup, nullptr, std::forward<Args>(args)...);
}

template <class T, auto Method, class... Args>
void post(NodeId node, const CallOptions& options, Args&&... args) {
  if constexpr (has_stand_ins<Method, Args...>) {
    return with_values<Method>(
        [&]<class... Values>(Values&&... values) { post<T, Method>(node, options, std::forward<Values>(values)...); },
        std::forward<Args>(args)...);
  } else {
    post_values<T, Method>(node, options, std::forward<Args>(args)...);
  }
}

}  // namespace detail
}  // namespace slipway
