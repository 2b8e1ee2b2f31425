// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "slipway/rpc/cereal_archive.hpp"
#include "slipway/rpc/kinds.hpp"

// Which types may be arguments and results. Contract 6.
namespace slipway {
namespace detail {

template <class T>
consteval Kind classify() {
  constexpr Kind plain = plain_kind<T>();
  if constexpr (plain != Kind::unsupported || !std::is_class_v<T> || std::is_const_v<T>) {
    return plain;
  } else if constexpr (is_cereal_class<T>) {
    return Kind::self_serialized;
  } else if constexpr (!NotRaw<T> && Walkable<T>) {
    return Kind::aggregate;
  } else {
    return Kind::unsupported;
  }
}

template <class T>
inline constexpr Kind kind_of = classify<T>();

template <class T>
using Pointee = std::remove_const_t<typename T::element_type>;

// `Above`: the aggregates that this one is a part of; one inside itself is assumed good there.
template <class T, class... Above>
consteval bool can_transfer();

template <class... Above, class... Ts>
consteval bool can_transfer_all(TypeList<Ts...>) {
  return (can_transfer<Ts, Above...>() && ...);
}

template <class T, class... Above>
consteval bool can_transfer_elements() {
  if constexpr (requires { typename T::mapped_type; }) {
    return can_transfer<typename T::key_type, Above...>() && can_transfer<typename T::mapped_type, Above...>();
  } else {
    return std::is_default_constructible_v<typename T::value_type> &&
           std::is_move_constructible_v<typename T::value_type> && can_transfer<typename T::value_type, Above...>();
  }
}

template <class T, class... Above>
consteval bool can_transfer_fields() {
  if constexpr ((std::is_same_v<T, Above> || ...)) {
    return true;
  } else if constexpr (!std::is_default_constructible_v<T> || !std::is_move_assignable_v<T>) {
    return false;
  } else {
    return can_transfer_all<T, Above...>(FieldTypes<T>{});
  }
}

template <class T, class... Above>
consteval bool can_transfer() {
  constexpr Kind kind = kind_of<T>;
  if constexpr (kind == Kind::unsupported) {
    return false;
  } else if constexpr (kind == Kind::fixed) {
    return can_transfer<std::remove_cvref_t<decltype(std::declval<T&>()[0])>, Above...>();
  } else if constexpr (kind == Kind::product || kind == Kind::variant) {
    return std::is_default_constructible_v<T> && can_transfer_all<Above...>(Arguments<T>{});
  } else if constexpr (kind == Kind::optional) {
    return can_transfer<typename T::value_type, Above...>();
  } else if constexpr (kind == Kind::pointer) {
    return std::is_default_constructible_v<Pointee<T>> && !std::is_polymorphic_v<Pointee<T>> &&
           can_transfer<Pointee<T>, Above...>();
  } else if constexpr (kind == Kind::sequence || kind == Kind::associative) {
    return can_transfer_elements<T, Above...>();
  } else if constexpr (kind == Kind::array) {
    return std::is_default_constructible_v<typename T::value_type>;
  } else if constexpr (kind == Kind::aggregate) {
    return can_transfer_fields<T, Above...>();
  } else {
    return true;
  }
}

template <class T>
consteval bool can_transfer_now() {
  return can_transfer<T>();
}

// ---- whether decoding runs no user code

template <class T, class... Above>
consteval bool decodes_by_library();

template <class... Above, class... Ts>
consteval bool all_by_library(TypeList<Ts...>) {
  return (decodes_by_library<Ts, Above...>() && ...);
}

template <class T, class... Above>
consteval bool container_by_library() {
  if constexpr (!in_std<typename T::allocator_type>()) {
    return false;
  } else if constexpr (requires { typename T::mapped_type; }) {
    return all_by_library<Above...>(TypeList<typename T::key_type, typename T::mapped_type>{});
  } else {
    return decodes_by_library<typename T::value_type, Above...>();
  }
}

// A key's order, hash and equality are library code when the key is one of the library's own types.
template <class T>
consteval bool keys_by_library() {
  if constexpr (requires { typename T::key_compare; }) {
    return in_std<typename T::key_compare>();
  } else if constexpr (requires { typename T::hasher; }) {
    return in_std<typename T::hasher>() && in_std<typename T::key_equal>();
  } else {
    return true;
  }
}
template <class Key>
consteval bool is_library_key() {
  if constexpr (is_product<Key>) {
    return []<class... Ts>(TypeList<Ts...>) { return (is_library_key<Ts>() && ...); }(Arguments<Key>{});
  } else {
    return std::is_arithmetic_v<Key> || std::is_enum_v<Key> || is_string<Key>;
  }
}

template <class T, class... Above>
consteval bool decodes_by_library() {
  constexpr Kind kind = kind_of<T>;
  if constexpr (kind == Kind::raw) {
    return !std::is_class_v<T> || std::is_nothrow_default_constructible_v<T>;
  } else if constexpr (kind == Kind::own) {
    return Coding<T>::library_decodable;
  } else if constexpr (kind == Kind::array || kind == Kind::sequence) {
    return container_by_library<T, Above...>();
  } else if constexpr (kind == Kind::associative) {
    return keys_by_library<T>() && is_library_key<typename T::key_type>() && container_by_library<T, Above...>();
  } else if constexpr (kind == Kind::fixed) {
    return decodes_by_library<std::remove_cvref_t<decltype(std::declval<T&>()[0])>, Above...>();
  } else if constexpr (kind == Kind::product || kind == Kind::variant) {
    return all_by_library<Above...>(Arguments<T>{});
  } else if constexpr (kind == Kind::optional) {
    return decodes_by_library<typename T::value_type, Above...>();
  } else if constexpr (kind == Kind::pointer) {
    return decodes_by_library<Pointee<T>, Above...>();
  } else if constexpr (kind == Kind::aggregate) {
    if constexpr ((std::is_same_v<T, Above> || ...)) {
      return true;
    } else {
      return std::is_nothrow_default_constructible_v<T> && all_by_library<T, Above...>(FieldTypes<T>{});
    }
  } else {
    return kind != Kind::unsupported && kind != Kind::self_serialized;
  }
}

}  // namespace detail

// A value that can go from one rank to another: raw, a standard container or value of such, a Buffer, an aggregate of
// such, or a class with cereal's serialize; and default constructible, so that there is something to read into.
template <class T>
concept Transferable = std::is_object_v<T> && std::is_default_constructible_v<T> && detail::can_transfer<T>();

// decode<T> calls nothing that a user wrote, so that it may run where messages are received. Constant initialisers of
// an aggregate's fields count as nothing.
template <class T>
inline constexpr bool library_decodable = detail::decodes_by_library<T>();

}  // namespace slipway
