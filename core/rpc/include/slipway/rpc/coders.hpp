// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/rpc/archive_raw.hpp"
#include "slipway/rpc/buffer.hpp"
#include "slipway/rpc/transferable.hpp"
#include "slipway/rpc/vector_memory.hpp"

// One Coder a Kind: how a value of that kind is written and read. Both sides of a kind stand together.
// A reader may take memory only in proportion to bytes that it has seen.
namespace slipway {
namespace detail {

template <class T, Kind kind>
struct Coder;

template <class T>
void encode_value(Writer& writer, const T& value) {
  Coder<T, kind_of<T>>::encode(writer, value);
}
template <class T>
void decode_value(Reader& reader, T& value) {
  Coder<T, kind_of<T>>::decode(reader, value);
}

template <class T>
struct Coder<T, Kind::raw> {
  static void encode(Writer& writer, const T& value) { store_raw(writer.extend(sizeof(T)), value); }
  static void decode(Reader& reader, T& value) { load_raw(reader.take(sizeof(T)), value); }
};

template <class T>
struct Coder<T, Kind::own> : Coding<T> {};

template <class T>
struct Coder<T, Kind::own_members> {
  static void encode(Writer& writer, const T& value) { value.slipway_encode(writer); }
  static void decode(Reader& reader, T& value) { value.slipway_decode(reader); }
};

// Elements whose bools and enumerations must be looked at are never received behind the reader's back.
template <class T>
inline constexpr bool may_be_segment = !is_checked<T>;

template <class T>
void check_elements(std::span<const T> elements) {
  if constexpr (is_checked<T>) {
    for (const T& element : elements) {
      if (!holds_value(element)) throw_wire_error("an array with a bool or an enumeration that it cannot have");
    }
  }
}

template <class T>
struct Coder<T, Kind::array> {
  using Element = typename T::value_type;
  static void encode(Writer& writer, const T& value) {
    writer.array(value.data(), value.size(), sizeof(Element), may_be_segment<Element>);
  }
  static void decode(Reader& reader, T& value) {
    const auto head = reader.array_head(sizeof(Element), may_be_segment<Element>);
    resize_uninitialized(value, head.count);
    reader.array(head, value.data());
    check_elements(std::span<const Element>(value));
  }
};

template <class T>
struct Coder<T, Kind::string> {
  using Element = typename T::value_type;
  static void encode(Writer& writer, const T& value) {
    writer.array(value.data(), value.size(), sizeof(Element), true);
  }
  static void decode(Reader& reader, T& value) {
    const auto head = reader.array_head(sizeof(Element), true);
    value.resize(head.count);
    reader.array(head, value.data());
  }
};

template <class T>
struct Coder<T, Kind::path> {
  static void encode(Writer& writer, const T& value) {
    const Writer::KeepInBody in_body(writer);
    encode_value(writer, value.native());
  }
  static void decode(Reader& reader, T& value) {
    const Reader::KeepInBody in_body(reader);
    typename T::string_type text;
    decode_value(reader, text);
    value = T(std::move(text));
  }
};

// Eight bools a byte; what is left of the last byte is zero.
template <class T>
void encode_bits(Writer& writer, const T& bits) {
  const std::size_t count = bits.size();
  std::byte* place = writer.extend((count + 7) / 8);
  for (std::size_t i = 0; i < count; i += 8) {
    unsigned byte = 0;
    for (std::size_t j = i; j < count && j < i + 8; ++j) byte |= (bits[j] ? 1U : 0U) << (j - i);
    place[i / 8] = static_cast<std::byte>(byte);
  }
}
template <class T>
void decode_bits(Reader& reader, T& bits) {
  const std::size_t count = bits.size();
  const std::byte* place = reader.take((count + 7) / 8);
  for (std::size_t i = 0; i < count; ++i) {
    bits[i] = (std::to_integer<unsigned>(place[i / 8]) >> (i % 8) & 1U) != 0;
  }
}

template <class T>
struct Coder<T, Kind::bits> {
  static void encode(Writer& writer, const T& value) {
    writer.size(value.size());
    encode_bits(writer, value);
  }
  static void decode(Reader& reader, T& value) {
    const std::uint64_t count = reader.size();
    if (count / 8 > reader.remaining()) throw_cut_off();
    value.resize(static_cast<std::size_t>(count));
    decode_bits(reader, value);
  }
};

template <class T>
struct Coder<T, Kind::bitset> {
  static void encode(Writer& writer, const T& value) { encode_bits(writer, value); }
  static void decode(Reader& reader, T& value) { decode_bits(reader, value); }
};

template <class T>
struct Coder<T, Kind::fixed> {
  static void encode(Writer& writer, const T& value) {
    for (const auto& element : value) encode_value(writer, element);
  }
  static void decode(Reader& reader, T& value) {
    for (auto& element : value) decode_value(reader, element);
  }
};

template <class T>
struct Coder<T, Kind::product> {
  static void encode(Writer& writer, const T& value) {
    std::apply([&writer](const auto&... elements) { (encode_value(writer, elements), ...); }, value);
  }
  static void decode(Reader& reader, T& value) {
    std::apply([&reader](auto&... elements) { (decode_value(reader, elements), ...); }, value);
  }
};

template <class T>
struct Coder<T, Kind::aggregate> {
  static void encode(Writer& writer, const T& value) {
    with_fields(value, [&writer](const auto&... fields) { (encode_value(writer, fields), ...); });
  }
  static void decode(Reader& reader, T& value) {
    with_fields(value, [&reader](auto&... fields) { (decode_value(reader, fields), ...); });
  }
};

template <class T>
struct Coder<T, Kind::self_serialized> {
  static void encode(Writer& writer, const T& value) {
    const Writer::KeepInBody in_body(writer);
    const Writer::Level level(writer);
    writer.user_archive<OutputArchive>().by_cereal(value);
  }
  static void decode(Reader& reader, T& value) {
    const Reader::KeepInBody in_body(reader);
    const Reader::Level level(reader);
    reader.user_archive<InputArchive>().by_cereal(value);
  }
};

inline bool decode_presence(Reader& reader) {
  bool present = false;
  decode_value(reader, present);
  return present;
}

template <class T>
struct Coder<T, Kind::optional> {
  static void encode(Writer& writer, const T& value) {
    encode_value(writer, value.has_value());
    if (value.has_value()) encode_value(writer, *value);
  }
  static void decode(Reader& reader, T& value) {
    value.reset();
    if (decode_presence(reader)) decode_value(reader, value.emplace());
  }
};

template <class T>
struct Coder<T, Kind::pointer> {
  static void encode(Writer& writer, const T& value) {
    const Writer::Level level(writer);
    encode_value(writer, value != nullptr);
    if (value != nullptr) encode_value(writer, *value);
  }
  static void decode(Reader& reader, T& value) {
    const Reader::Level level(reader);
    value.reset();
    if (!decode_presence(reader)) return;
    auto object = std::make_unique<Pointee<T>>();
    decode_value(reader, *object);
    value = std::move(object);
  }
};

template <class T>
struct Coder<T, Kind::variant> {
  static void encode(Writer& writer, const T& value) {
    if (value.valueless_by_exception()) {
      throw UsageError("a variant without a value cannot be sent (an exception left it empty); assign it first");
    }
    writer.size(value.index());
    encode_alternative(writer, value, std::make_index_sequence<Arguments<T>::size>{});
  }
  static void decode(Reader& reader, T& value) {
    const std::uint64_t index = reader.size();
    if (!decode_alternative(reader, value, index, std::make_index_sequence<Arguments<T>::size>{})) {
      throw_wire_error("a variant with an alternative that it does not have");
    }
  }

 private:
  template <std::size_t... is>
  static void encode_alternative(Writer& writer, const T& value, std::index_sequence<is...>) {
    static_cast<void>(((value.index() == is && (encode_value(writer, get<is>(value)), true)) || ...));
  }
  template <std::size_t... is>
  static bool decode_alternative(Reader& reader, T& value, std::uint64_t index, std::index_sequence<is...>) {
    return ((index == is && (decode_value(reader, value.template emplace<is>()), true)) || ...);
  }
};

// Elements of no bytes at all would let a size alone make the reader work: such arrays are filled up to a byte each.
class Filler {
 public:
  static void write(Writer& writer, std::size_t start, std::size_t count) {
    const std::size_t written = writer.body().size() - start;
    if (written >= count) return;
    std::byte* place = writer.extend(count - written);
    for (std::size_t i = written; i < count; ++i) *place++ = std::byte{0};
  }
  static void read(Reader& reader, std::size_t remaining_at_start, std::size_t count) {
    const std::size_t read = remaining_at_start - reader.remaining();
    if (read < count) reader.take(count - read);
  }
};

template <class T>
struct Coder<T, Kind::sequence> {
  using Element = typename T::value_type;
  static void encode(Writer& writer, const T& value) {
    const Writer::Level level(writer);
    writer.size(value.size());
    const std::size_t start = writer.body().size();
    for (const auto& element : value) encode_value(writer, element);
    Filler::write(writer, start, value.size());
  }
  static void decode(Reader& reader, T& value) {
    const Reader::Level level(reader);
    value.clear();
    const std::size_t count = reader.count();
    const std::size_t start = reader.remaining();
    reserve(reader, value, count);
    for (std::size_t i = 0; i < count; ++i) {
      value.emplace_back();
      decode_value(reader, value.back());
    }
    Filler::read(reader, start, count);
  }

 private:
  // A vector that grows may copy its elements, and so lose their arrays' places that are noted as destinations.
  static void reserve(const Reader& reader, T& value, std::size_t count) {
    if constexpr (is_vector<T>) {
      const bool must_stay = reader.is_early() && !std::is_nothrow_move_constructible_v<Element>;
      const std::size_t paid_for = reader.remaining() / sizeof(Element) + 16;
      value.reserve(must_stay || count < paid_for ? count : paid_for);
    }
  }
};

template <class T>
struct Coder<T, Kind::associative> {
  static void encode(Writer& writer, const T& value) {
    const Writer::Level level(writer);
    writer.size(value.size());
    const std::size_t start = writer.body().size();
    for (const auto& element : value) {
      if constexpr (MapLike<T>) {
        encode_key(writer, element.first);
        encode_value(writer, element.second);
      } else {
        encode_key(writer, element);
      }
    }
    Filler::write(writer, start, value.size());
  }
  static void decode(Reader& reader, T& value) {
    const Reader::Level level(reader);
    value.clear();
    const std::size_t count = reader.count();
    const std::size_t start = reader.remaining();
    for (std::size_t i = 0; i < count; ++i) decode_element(reader, value);
    if (value.size() != count) throw_wire_error("a set or map with the same key twice");
    Filler::read(reader, start, count);
  }

 private:
  using Key = typename T::key_type;

  static void encode_key(Writer& writer, const Key& key) {
    const Writer::KeepInBody in_body(writer);
    encode_value(writer, key);
  }
  static Key decode_key(Reader& reader) {
    const Reader::KeepInBody in_body(reader);
    Key key{};
    decode_value(reader, key);
    return key;
  }
  static void decode_element(Reader& reader, T& value) {
    if constexpr (MapLike<T>) {
      Key key = decode_key(reader);
      typename T::mapped_type mapped{};
      decode_value(reader, mapped);
      value.emplace_hint(value.end(), std::move(key), std::move(mapped));
    } else {
      value.emplace_hint(value.end(), decode_key(reader));
    }
  }
};

}  // namespace detail

template <class T>
requires is_raw<T>
struct Coding<Buffer<T>> {
  static constexpr bool library_decodable = true;

  static void encode(Writer& writer, const Buffer<T>& value) {
    writer.array(value.data(), value.size(), sizeof(T), detail::may_be_segment<T>);
  }
  static void decode(Reader& reader, Buffer<T>& value) {
    const auto head = reader.array_head(sizeof(T), detail::may_be_segment<T>);
    if (reader.can_adopt(head)) {
      value = Buffer<T>::adopt(reader.adopt());
      return;
    }
    value = Buffer<T>(head.count);
    reader.array(head, value.data());
    detail::check_elements(std::span<const T>(value.span()));
  }
};

}  // namespace slipway
