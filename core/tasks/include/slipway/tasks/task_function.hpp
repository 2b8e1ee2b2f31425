// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>

#include "slipway/rpc/call.hpp"
#include "slipway/rpc/method.hpp"
#include "slipway/tasks/task_context.hpp"
#include "slipway/tasks/task_node.hpp"

namespace slipway {
class Gang;
}

// Functions as tasks: free functions, static members, captureless lambdas. They are rows of the method table, so that
// ranks compare them at start (contract 7), and send them to each other like calls.
namespace slipway::detail {

template <class F>
struct FunctionSignature {};
template <class R, class... P>
struct FunctionSignature<R (*)(P...)> {
  using Result = std::remove_cvref_t<R>;
  using Returned = R;
  using Parameters = std::tuple<P...>;
  using Values = std::tuple<std::remove_cvref_t<P>...>;
  static constexpr bool takes_context = false;
};
template <class R, class... P>
struct FunctionSignature<R (*)(TaskContext&, P...)> : FunctionSignature<R (*)(P...)> {
  static constexpr bool takes_context = true;
};
template <class R, class... P>
struct FunctionSignature<R (*)(Gang&, P...)> : FunctionSignature<R (*)(P...)> {
  static constexpr bool takes_context = true;
};
template <class R, class... P>
struct FunctionSignature<R (*)(P...) noexcept> : FunctionSignature<R (*)(P...)> {};

// What a function or a closure is as a plain function.
template <auto Function>
consteval auto as_function() {
  if constexpr (std::is_class_v<decltype(Function)>) {
    if constexpr (requires { +Function; }) {
      return +Function;
    } else {
      return nullptr;  // captures, or is a template
    }
  } else {
    return Function;
  }
}
template <auto Function>
using SignatureOf = FunctionSignature<decltype(as_function<Function>())>;

template <class F>
inline constexpr bool gang_first = false;
template <class R, class... P>
inline constexpr bool gang_first<R (*)(Gang&, P...)> = true;
template <class R, class... P>
inline constexpr bool gang_first<R (*)(Gang&, P...) noexcept> = true;
template <auto Function>
inline constexpr bool takes_gang = gang_first<decltype(as_function<Function>())>;

// The node type of these rows: on each rank one node, which takes tasks in.
template <class Task>
struct TaskTag {};
template <auto Method>  // the name is what `register_method` looks for
std::string_view pretty_task_name() {
  return __PRETTY_FUNCTION__;
}

// A function with the kinds of arguments that it is submitted with somewhere in the program.
template <class Task>
struct TaskRow {
  struct Registrar {
    MethodEntry entry;
    Registrar() {
      entry.node_type = &typeid(TaskNode);
      entry.layout = ParameterLayout<typename Task::Values>::value;
      entry.invoke = &Task::accept;
      register_method(entry, typeid(TaskTag<Task>), Task::function_name());
    }
  };
  inline static Registrar registrar;
  static const MethodEntry& entry() { return registrar.entry; }
};

}  // namespace slipway::detail
