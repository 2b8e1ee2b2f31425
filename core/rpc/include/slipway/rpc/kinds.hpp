// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/rpc/raw.hpp"

// How each type is encoded: one Kind a type. The standard library's types are known by their shape, so that a program
// pays for no container header that it does not use.
namespace slipway {

class Writer;
class Reader;

// The way in for a type with an encoding of its own (Buffer, Eigen):
//   static void encode(Writer&, const T&);  static void decode(Reader&, T&);  static constexpr bool library_decodable;
// A class can also have the members  void slipway_encode(Writer&) const;  void slipway_decode(Reader&).
template <class T>
struct Coding;

namespace detail {

enum class Kind {
  unsupported,
  raw,          // its bytes
  own,          // Coding<T>
  own_members,  // slipway_encode, slipway_decode
  string,       // basic_string
  array,        // vector of raw elements
  bits,         // vector<bool>
  fixed,        // C array, std::array
  product,      // pair, tuple
  optional,
  variant,
  pointer,      // unique_ptr<T>, shared_ptr<const T>: by value
  sequence,     // vector, deque, list
  associative,  // set, map and their kin
  bitset,
  path,             // std::filesystem::path
  self_serialized,  // cereal's way
  aggregate,        // field by field
};

template <class T>
concept HasCoding = requires {
  Coding<T>::library_decodable;
};
template <class T>
concept HasCodingMembers = requires(T& object, const T& constant, Writer& writer, Reader& reader) {
  constant.slipway_encode(writer);
  object.slipway_decode(reader);
};

template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool is_vector_bool = false;
template <class A>
inline constexpr bool is_vector_bool<std::vector<bool, A>> = true;
template <class T>
inline constexpr bool is_string = false;
template <class C, class Traits, class A>
inline constexpr bool is_string<std::basic_string<C, Traits, A>> = true;
template <class T>
inline constexpr bool is_product = false;
template <class A, class B>
inline constexpr bool is_product<std::pair<A, B>> = true;
template <class... Ts>
inline constexpr bool is_product<std::tuple<Ts...>> = true;
template <class T>
inline constexpr bool is_unique_pointer = false;
template <class T>
inline constexpr bool is_unique_pointer<std::unique_ptr<T, std::default_delete<T>>> = !std::is_array_v<T>;
template <class T>
inline constexpr bool is_shared_const = false;
template <class T>
inline constexpr bool is_shared_const<std::shared_ptr<const T>> = !std::is_array_v<T>;

template <class T>
concept OptionalLike = requires(T& object, const T& constant) {
  typename T::value_type;
  constant.has_value();
  *constant;
  object.reset();
};
template <class T>
concept VariantLike = requires(const T& constant) {
  constant.valueless_by_exception();
  constant.index();
};
template <class T>
concept BitsetLike = requires(T& object, const T& constant) {
  constant.test(std::size_t{});
  object.set(std::size_t{}, true);
  constant.to_string();
};
template <class T>
concept PathLike = requires(const T& constant) {
  typename T::string_type;
  constant.native();
  constant.lexically_normal();
};
template <class T>
concept Iterable = requires(T& object, const T& constant) {
  typename T::value_type;
  constant.begin();
  constant.end();
  { constant.size() } -> std::convertible_to<std::size_t>;
  object.clear();
};
template <class T>
concept SequenceLike = Iterable<T> && requires(T& object) {
  object.emplace_back();
};
template <class T>
concept AssociativeLike = Iterable<T> && requires(T& object, typename T::key_type key) {
  typename T::allocator_type;
  object.count(key);
};
template <class T>
concept MapLike = AssociativeLike<T> && requires {
  typename T::mapped_type;
};

// The type arguments of a class: alternatives of a variant, elements of a tuple.
template <class T>
struct ArgumentsOf {
  using Type = TypeList<>;
};
template <template <class...> class C, class... Ts>
struct ArgumentsOf<C<Ts...>> {
  using Type = TypeList<Ts...>;
};
template <class T>
using Arguments = typename ArgumentsOf<T>::Type;

template <class T>
consteval Kind kind_in_std() {
  if constexpr (is_std_array<T>) {
    return Kind::fixed;
  } else if constexpr (is_product<T>) {
    return Kind::product;
  } else if constexpr (is_unique_pointer<T> || is_shared_const<T>) {
    return Kind::pointer;
  } else if constexpr (PathLike<T>) {
    return Kind::path;
  } else if constexpr (OptionalLike<T>) {
    return Kind::optional;
  } else if constexpr (VariantLike<T>) {
    return Kind::variant;
  } else if constexpr (BitsetLike<T>) {
    return Kind::bitset;
  } else if constexpr (SequenceLike<T>) {
    return Kind::sequence;
  } else if constexpr (AssociativeLike<T>) {
    return Kind::associative;
  } else {
    return Kind::unsupported;
  }
}

// The kinds that need no look into a user's class.
template <class T>
consteval Kind plain_kind() {
  if constexpr (std::is_const_v<T> || std::is_volatile_v<T>) {
    return Kind::unsupported;
  } else if constexpr (HasCoding<T>) {
    return Kind::own;
  } else if constexpr (is_raw<T>) {
    return Kind::raw;
  } else if constexpr (std::is_bounded_array_v<T>) {
    return Kind::fixed;
  } else if constexpr (!std::is_class_v<T>) {
    return Kind::unsupported;
  } else if constexpr (HasCodingMembers<T>) {
    return Kind::own_members;
  } else if constexpr (is_vector_bool<T>) {
    return Kind::bits;
  } else if constexpr (is_vector<T>) {
    return is_raw<typename T::value_type> ? Kind::array : Kind::sequence;
  } else if constexpr (is_string<T>) {
    return Kind::string;
  } else if constexpr (in_std<T>()) {
    return kind_in_std<T>();
  } else {
    return Kind::unsupported;
  }
}

}  // namespace detail
}  // namespace slipway
