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

// Functions as tasks: free functions, static members, captureless lambdas. They are rows of the method table, so that
// ranks compare them at start (contract 7).
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

// The node type of these rows.
struct TaskFunctions {};
template <auto Function>
struct TaskTag {};
template <auto Method>  // the name is what `register_method` looks for
std::string_view pretty_task_name() {
  return __PRETTY_FUNCTION__;
}
// A request that names a task function as a method: no rank sends one.
[[noreturn]] void refuse_task_as_method(Invocation& invocation);

template <auto Function>
struct TaskRow {
  struct Registrar {
    MethodEntry entry;
    Registrar() {
      entry.node_type = &typeid(TaskFunctions);
      entry.layout = ParameterLayout<typename SignatureOf<Function>::Values>::value;
      entry.invoke = &refuse_task_as_method;
      register_method(entry, typeid(TaskTag<Function>), pretty_task_name<Function>());
    }
  };
  inline static Registrar registrar;
  static const MethodEntry& entry() { return registrar.entry; }
};

}  // namespace slipway::detail
