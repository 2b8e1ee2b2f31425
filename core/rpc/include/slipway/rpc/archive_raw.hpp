// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "slipway/rpc/raw.hpp"
#include "slipway/rpc/reader.hpp"
#include "slipway/rpc/writer.hpp"

// The short way for argument lists of raw types only: a known number of bytes, no archive. The bytes are the same as
// those of archive.hpp.
namespace slipway {

template <class... Ts>
concept AllRaw = (is_raw<Ts> && ...);

template <class... Ts>
inline constexpr std::size_t raw_bytes = (sizeof(Ts) + ... + std::size_t{0});

namespace detail {

template <Raw T>
void store_raw(std::byte* target, const T& object) {
  if constexpr (has_padding<T>) {
    std::memset(target, 0, sizeof(T));
    copy_fields(target, object);
  } else {
    std::memcpy(target, &object, sizeof(T));
  }
}

// Throws WireError when the bytes are no value of T.
template <Raw T>
void load_raw(const std::byte* source, T& object) {
  std::memcpy(static_cast<void*>(&object), source, sizeof(T));
  if (!holds_value(object)) throw_wire_error("a bool or an enumeration with a value that it cannot have");
}

}  // namespace detail

// Writes raw_bytes<Ts...> bytes.
template <class... Ts>
requires AllRaw<Ts...>
void encode_raw(std::byte* target, const Ts&... values) {
  ((detail::store_raw(target, values), target += sizeof(Ts)), ...);
}

// Reads exactly raw_bytes<Ts...> bytes, else throws WireError.
template <class... Ts>
requires AllRaw<Ts...>
void decode_raw(std::span<const std::byte> source, Ts&... values) {
  if (source.size() < raw_bytes<Ts...>) detail::throw_cut_off();
  if (source.size() > raw_bytes<Ts...>) detail::throw_wire_error("a message with bytes left over");
  const std::byte* place = source.data();
  ((detail::load_raw(place, values), place += sizeof(Ts)), ...);
}

}  // namespace slipway
