// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/rpc/raw.hpp"

// What may be called, and the table of everything that is. Contract 6 and 7.
namespace slipway {

class Reader;
template <class R>
class Async;

// Names the methods of a class that may be called, as the class's last line:
//   using slipway_interface = slipway::interface<&T::a, &T::b>;
template <auto... Methods>
struct interface {
  template <auto Method>
  static constexpr bool contains = (std::is_same_v<std::integral_constant<decltype(Method), Method>,
                                                   std::integral_constant<decltype(Methods), Methods>> ||
                                    ...);
};

// Specialise as true for a method that may run more than once for one call; only these are retried.
template <auto Method>
inline constexpr bool idempotent = false;

namespace detail {

template <class... Args>
struct Overload {
  template <class R, class C>
  constexpr auto operator()(R (C::*method)(Args...)) const {
    return method;
  }
  template <class R, class C>
  constexpr auto operator()(R (C::*method)(Args...) const) const {
    return method;
  }
  template <class R, class C>
  constexpr auto operator()(R (C::*method)(Args...) &) const {
    return method;
  }
  template <class R, class C>
  constexpr auto operator()(R (C::*method)(Args...) const&) const {
    return method;
  }
};

}  // namespace detail

// Chooses among overloaded methods by their parameters: call<slipway::overload<int>(&T::m)>(1).
template <class... Args>
inline constexpr detail::Overload<Args...> overload{};

namespace detail {

template <class Method>
struct Signature;

#define SLIPWAY_SIGNATURE(QUALIFIERS)                                  \
  template <class C, class R, class... Params>                         \
  struct Signature<R (C::*)(Params...) QUALIFIERS> {                   \
    using Class = C;                                                   \
    using Result = R;                                                  \
    using Parameters = std::tuple<Params...>;                          \
    using Values = std::tuple<std::remove_cvref_t<Params>...>;         \
    static constexpr std::size_t arity = sizeof...(Params);            \
  };
SLIPWAY_SIGNATURE()
SLIPWAY_SIGNATURE(const)
SLIPWAY_SIGNATURE(noexcept)
SLIPWAY_SIGNATURE(const noexcept)
SLIPWAY_SIGNATURE(&)
SLIPWAY_SIGNATURE(const&)
SLIPWAY_SIGNATURE(& noexcept)
SLIPWAY_SIGNATURE(const& noexcept)
#undef SLIPWAY_SIGNATURE

template <class R>
struct AsyncResult {
  using type = R;
  static constexpr bool is_async = false;
};
template <class R>
struct AsyncResult<Async<R>> {
  using type = R;
  static constexpr bool is_async = true;
};

template <auto Method>
using ResultOf = typename AsyncResult<std::remove_cvref_t<typename Signature<decltype(Method)>::Result>>::type;

template <class T>
concept HasRun = requires { &T::run; } || requires(T t) { t.run(); };
template <class T>
concept HasInterface = requires { typename T::slipway_interface; };

template <class T, auto Method>
constexpr bool callable() {
  if constexpr (HasInterface<T>) {
    return T::slipway_interface::template contains<Method>;
  } else {
    return !HasRun<T>;
  }
}

struct Invocation;
class PreparedArguments;

// One callable method of one node type. Rows are made by static initialisers for every call in the binary.
struct MethodEntry {
  std::uint64_t id = 0;          // hash of `symbol`
  const char* symbol = nullptr;  // mangled name of the type that names the method: unique
  std::string name;              // for people: "Producer::draw"
  std::uint64_t layout = 0;      // of raw parameters and result: sizes, alignments
  const std::type_info* node_type = nullptr;
  void (*invoke)(Invocation&) = nullptr;                                  // from a whole body
  std::unique_ptr<PreparedArguments> (*prepare)(Reader&) = nullptr;  // from a body whose arrays are to come
  bool idempotent = false;
  MethodId index;  // row of the sorted table
  MethodEntry* next = nullptr;
};

// For people: of what a compiler makes of a function template over it, with the parameter `Method`.
std::string function_name(std::string_view pretty);

void register_method(MethodEntry& entry, const std::type_info& tag, std::string_view pretty);

// Sorted by id, with indexes given; made at the first call. Throws UsageError when two methods have one id, or when
// methods were added since (by a library loaded later).
const std::vector<MethodEntry*>& method_table();
// The same after the first call, without looking.
const std::vector<MethodEntry*>& method_table_unlocked();

// A conversion between node types that some handle in the binary needs.
struct Upcast {
  const std::type_info* from;
  const std::type_info* to;
  void* (*convert)(void*);
  Upcast* next;
};
void register_upcast(Upcast& upcast);
// The object as one of type `to`; nullptr when no handle was ever converted so.
void* upcast(void* object, const std::type_info& from, const std::type_info& to);

template <class T, auto Method>
struct MethodTag {};

template <class T, auto Method>
std::string_view pretty_method_name() {
  return __PRETTY_FUNCTION__;
}

template <class Values>
struct ParameterLayout;
template <class... T>
struct ParameterLayout<std::tuple<T...>> {
  static constexpr std::uint64_t value = [] {
    std::uint64_t hash = 14695981039346656037ULL;
    ((hash = (hash ^ layout_of<T>().hash) * 1099511628211ULL), ...);
    return hash;
  }();
};

template <class T, auto Method>
void invoke_method(Invocation& invocation);
template <class T, auto Method>
std::unique_ptr<PreparedArguments> prepare_method(Reader& reader);

template <class T, auto Method>
struct MethodRow {
  struct Registrar {
    MethodEntry entry;
    Registrar() {
      using S = Signature<decltype(Method)>;
      entry.node_type = &typeid(T);
      entry.layout = ParameterLayout<typename S::Values>::value;
      entry.invoke = &invoke_method<T, Method>;
      entry.prepare = &prepare_method<T, Method>;
      entry.idempotent = idempotent<Method>;
      register_method(entry, typeid(MethodTag<T, Method>), pretty_method_name<T, Method>());
    }
  };
  inline static Registrar registrar;
  static const MethodEntry& entry() { return registrar.entry; }
};

}  // namespace detail
}  // namespace slipway
