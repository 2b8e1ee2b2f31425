// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "slipway/base/ids.hpp"
#include "slipway/rpc/fields.hpp"

// Which types travel as their own bytes. Contract 6: trivially copyable, and free of pointers, references, views and
// handles, found by a walk over the fields.
//
// A class that the walk cannot see into (private fields, a base class) says so itself, if it is true:
//   template <> inline constexpr bool slipway::raw<Quaternion> = true;
// An enumeration may say which of its values are good; others are then refused when they come from the wire:
//   template <> inline constexpr auto slipway::valid_enum<Color> = [](Color color) { return color <= Color::blue; };
namespace cereal {
class access;
}

namespace slipway {

template <class T>
inline constexpr bool raw = false;
template <class Tag, class Value>
inline constexpr bool raw<Id<Tag, Value>> = true;

template <class E>
inline constexpr auto valid_enum = nullptr;

namespace detail {

// Stands for an archive where it is asked whether a class brings its own serialize. Its argument makes namespace cereal
// a place where such functions are found.
template <class>
struct ProbeArchive {
  template <class... Ts>
  ProbeArchive& operator()(Ts&&...);
  template <class T>
  ProbeArchive& operator&(T&&);
};
using Probe = ProbeArchive<cereal::access>;

// Whether a type's name begins in namespace std: classes that are known by their shape, so that their headers need not
// be included here, must be the library's own and not look-alikes.
template <class SlipwayType>
consteval bool in_std() {
  constexpr std::string_view name = __PRETTY_FUNCTION__;
  return name.find("SlipwayType = std::") != std::string_view::npos;
}

// A class of the user that says itself how it is serialized, in any of the forms that cereal knows. (What cereal offers
// for the library's own types must not count: it depends on which of its headers have been included.)
template <class T>
concept SelfSerialized =
    !in_std<T>() && requires(Probe & archive, T& object, const T& constant, std::uint32_t version) {
  requires(
      requires { object.serialize(archive); } || requires { serialize(archive, object); } ||
      requires { constant.save(archive); } || requires { save(archive, constant); } ||
      requires { constant.save_minimal(archive); } || requires { save_minimal(archive, constant); } ||
      requires { object.serialize(archive, version); } || requires { serialize(archive, object, version); } ||
      requires { constant.save(archive, version); } || requires { save(archive, constant, version); });
};

template <class T>
concept NotRaw = requires {
  typename T::slipway_not_raw;
};

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t n>
inline constexpr bool is_std_array<std::array<T, n>> = true;

// std::complex, by its shape: two numbers and nothing else.
template <class T>
concept ComplexLike = requires(T object, const T& constant, typename T::value_type number) {
  { constant.real() } -> std::same_as<typename T::value_type>;
  { constant.imag() } -> std::same_as<typename T::value_type>;
  object.real(number);
  object.imag(number);
}
&&std::is_arithmetic_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);

// std::chrono::duration and time_point, by their shape: one count and nothing else.
template <class T>
concept DurationLike = requires {
  typename T::rep;
  typename T::period;
  T::zero();
}
&&std::is_arithmetic_v<typename T::rep> && sizeof(T) == sizeof(typename T::rep);
template <class T>
concept TimePointLike = requires(const T& constant) {
  typename T::clock;
  { constant.time_since_epoch() } -> DurationLike;
}
&&sizeof(T) == sizeof(typename T::duration);

// Classes whose bytes are all one kind of number, though the walk cannot see into them.
template <class T>
concept NumberLike = (ComplexLike<T> || DurationLike<T> || TimePointLike<T>)&&in_std<T>();

template <class T>
consteval bool compute_raw();

template <class... Ts>
consteval bool all_raw(TypeList<Ts...>) {
  return (compute_raw<Ts>() && ...);
}

template <class T>
consteval bool compute_raw() {
  if constexpr (std::is_const_v<T> || std::is_volatile_v<T>) {
    return compute_raw<std::remove_cv_t<T>>();
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return true;
  } else if constexpr (std::is_bounded_array_v<T>) {
    return compute_raw<std::remove_all_extents_t<T>>();
  } else if constexpr (!std::is_class_v<T>) {
    return raw<T>;
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    static_assert(!raw<T>, "slipway::raw is true for a type that is not trivially copyable");
    return false;
  } else if constexpr (raw<T>) {
    return true;
  } else if constexpr (NotRaw<T> || SelfSerialized<T>) {
    return false;
  } else if constexpr (is_std_array<T>) {
    return compute_raw<typename T::value_type>();
  } else if constexpr (NumberLike<T>) {
    return true;
  } else if constexpr (Walkable<T>) {
    return all_raw(FieldTypes<T>{});
  } else {
    return false;
  }
}

}  // namespace detail

template <class T>
inline constexpr bool is_raw = detail::compute_raw<T>();

namespace detail {

template <class T>
concept Raw = is_raw<T>;

// ---- what a raw value must be checked for when it comes from the wire: its bools and enumerations

template <class T>
inline constexpr bool has_enum_check = !std::is_null_pointer_v<std::remove_cv_t<decltype(valid_enum<T>)>>;

template <class T>
consteval bool needs_check();

template <class... Ts>
consteval bool any_needs_check(TypeList<Ts...>) {
  return (needs_check<Ts>() || ...);
}

template <class T>
consteval bool needs_check() {
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    return has_enum_check<T>;
  } else if constexpr (std::is_array_v<T>) {
    return needs_check<std::remove_cv_t<std::remove_all_extents_t<T>>>();
  } else if constexpr (is_std_array<T>) {
    return needs_check<typename T::value_type>();
  } else if constexpr (std::is_class_v<T> && !raw<T> && !NumberLike<T>) {
    return any_needs_check(FieldTypes<T>{});
  } else {
    return false;
  }
}

template <class T>
inline constexpr bool is_checked = needs_check<std::remove_cv_t<T>>();

// Whether a raw object, just filled with bytes from the wire, holds a value of its type.
template <class T>
bool holds_value(const T& object) {
  if constexpr (!is_checked<T>) {
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    unsigned char byte = 0;
    std::memcpy(&byte, &object, 1);  // reading a bool that is neither 0 nor 1 is undefined
    return byte <= 1;
  } else if constexpr (std::is_enum_v<T>) {
    return valid_enum<T>(object);
  } else if constexpr (std::is_array_v<T> || is_std_array<T>) {
    for (const auto& element : object) {
      if (!holds_value(element)) return false;
    }
    return true;
  } else {
    return with_fields(object, [](const auto&... fields) { return (holds_value(fields) && ...); });
  }
}

// ---- padding: bytes of an object that belong to no field

template <class T>
consteval std::size_t bytes_of_fields();

template <class... Ts>
consteval std::size_t sum_of_fields(TypeList<Ts...>) {
  return (bytes_of_fields<Ts>() + ... + std::size_t{0});
}

template <class T>
consteval std::size_t bytes_of_fields() {
  if constexpr (std::is_array_v<T>) {
    return std::extent_v<T> * bytes_of_fields<std::remove_cv_t<std::remove_extent_t<T>>>();
  } else if constexpr (is_std_array<T>) {
    return std::tuple_size_v<T> * bytes_of_fields<typename T::value_type>();
  } else if constexpr (std::is_class_v<T> && !raw<T> && !NumberLike<T>) {
    return sum_of_fields(FieldTypes<T>{});
  } else {
    return sizeof(T);
  }
}

// More field bytes than the object has: bit-fields, whose padding cannot be told apart.
template <class T>
inline constexpr bool has_padding = bytes_of_fields<std::remove_cv_t<T>>() < sizeof(T);

// Copies the fields of an object to the same places in `target`, and leaves the padding there as it is.
template <class T>
void copy_fields(std::byte* target, const T& object) {
  if constexpr (!has_padding<T>) {
    std::memcpy(target, &object, sizeof(T));
  } else if constexpr (std::is_array_v<T> || is_std_array<T>) {
    for (std::size_t i = 0; i < std::size(object); ++i) copy_fields(target + i * sizeof(object[0]), object[i]);
  } else {
    const auto* start = reinterpret_cast<const std::byte*>(&object);
    with_fields(object, [target, start](const auto&... fields) {
      (copy_fields(target + (reinterpret_cast<const std::byte*>(&fields) - start), fields), ...);
    });
  }
}

// ---- layout, compared between ranks at start

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  hash *= 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 33U);
}

}  // namespace detail

// What must be equal on all ranks for raw bytes to mean the same. For a type that is not raw, only its kind.
struct Layout {
  std::uint64_t size = 0;
  std::uint64_t alignment = 0;
  std::uint64_t hash = 0;  // of the sizes, alignments and kinds of all fields, in depth
  friend constexpr bool operator==(const Layout&, const Layout&) = default;
};

template <class T>
consteval Layout layout_of();

namespace detail {

template <class... Ts>
consteval std::uint64_t hash_fields(std::uint64_t hash, TypeList<Ts...>) {
  ((hash = mix(hash, layout_of<Ts>().hash)), ...);
  return hash;
}

template <class T>
consteval std::uint64_t hash_raw() {
  if constexpr (std::is_enum_v<T>) {
    return hash_raw<std::underlying_type_t<T>>();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::uint64_t{1} + (std::is_floating_point_v<T> ? 2 : 0) + (std::is_signed_v<T> ? 4 : 0) +
           (std::is_same_v<T, bool> ? 8 : 0);
  } else if constexpr (std::is_array_v<T>) {
    return mix(16 + std::extent_v<T>, layout_of<std::remove_extent_t<T>>().hash);
  } else if constexpr (is_std_array<T>) {
    return mix(16 + std::tuple_size_v<T>, layout_of<typename T::value_type>().hash);
  } else if constexpr (!raw<T> && !NumberLike<T>) {
    return hash_fields(32, FieldTypes<T>{});
  } else {
    return 64;
  }
}

}  // namespace detail

template <class T>
consteval Layout layout_of() {
  using U = std::remove_cvref_t<T>;
  if constexpr (!is_raw<U>) {
    if constexpr (requires { typename U::value_type; } && !detail::SelfSerialized<U>) {
      return {0, 0, detail::mix(128, layout_of<typename U::value_type>().hash)};  // containers: their elements count
    } else {
      return {0, 0, 129};
    }
  } else {
    const std::uint64_t shape = detail::mix(detail::mix(detail::hash_raw<U>(), sizeof(U)), alignof(U));
    return {sizeof(U), alignof(U), shape};
  }
}

}  // namespace slipway
