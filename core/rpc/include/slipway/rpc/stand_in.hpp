// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "slipway/rpc/method.hpp"

// Arguments of calls that stand for a value which may still be to come: a Ref<T> for a T. The caller waits for it
// before the call is admitted.
namespace slipway::detail {

template <class Argument>
concept StandIn = requires(const std::remove_cvref_t<Argument>& argument) {
  typename std::remove_cvref_t<Argument>::slipway_stands_for;
  argument.slipway_wait();
};

template <class Parameter, class Argument>
inline constexpr bool stands_in =
    StandIn<Argument> && !std::is_same_v<std::remove_cvref_t<Parameter>, std::remove_cvref_t<Argument>>;

template <class Parameters, class... Args>
inline constexpr bool any_stands_in = false;
template <class... P, class... Args>
requires(sizeof...(P) ==
         sizeof...(Args)) inline constexpr bool any_stands_in<std::tuple<P...>, Args...> = (stands_in<P, Args> || ...);
template <auto Method, class... Args>
inline constexpr bool has_stand_ins = any_stands_in<typename Signature<decltype(Method)>::Parameters, Args...>;

template <class Parameter, class Argument>
decltype(auto) resolved(Argument&& argument) {
  if constexpr (stands_in<Parameter, Argument>) {
    return argument.slipway_wait();
  } else {
    return std::forward<Argument>(argument);
  }
}

// Calls `f` with the arguments, values in the place of what stands for them.
template <auto Method, class F, class... Args>
decltype(auto) with_values(F&& f, Args&&... args) {
  return [&]<class... P>(std::type_identity<std::tuple<P...>>) -> decltype(auto) {
    return f(resolved<P>(std::forward<Args>(args))...);
  }(std::type_identity<typename Signature<decltype(Method)>::Parameters>{});
}

}  // namespace slipway::detail
