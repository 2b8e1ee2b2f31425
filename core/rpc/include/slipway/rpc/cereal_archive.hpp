// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "slipway/rpc/kinds.hpp"
#include "slipway/rpc/reader.hpp"
#include "slipway/rpc/writer.hpp"

// The archives that a user's serialize, save and load see. What slipway encodes by itself it encodes here too; the rest
// is cereal's: members and free functions, private ones, split ones, minimal ones, versions, name-value pairs, bases.
namespace slipway {

class OutputArchive;
class InputArchive;

namespace detail {

template <class T>
void encode_value(Writer& writer, const T& value);
template <class T>
void decode_value(Reader& reader, T& value);
template <class T>
consteval bool can_transfer_now();

template <class T>
inline constexpr bool is_named = false;
template <class T>
inline constexpr bool is_named<cereal::NameValuePair<T>> = true;
template <class T>
inline constexpr bool is_base = false;
template <class T>
inline constexpr bool is_base<cereal::base_class<T>> = true;
template <class T>
inline constexpr bool is_size = false;
template <class T>
inline constexpr bool is_size<cereal::SizeTag<T>> = true;
template <class T>
inline constexpr bool is_binary = false;
template <class T>
inline constexpr bool is_binary<cereal::BinaryData<T>> = true;
template <class T>
inline constexpr bool is_map_item = false;
template <class K, class V>
inline constexpr bool is_map_item<cereal::MapItem<K, V>> = true;
// Wrappers that cereal's base archive handles itself.
template <class T>
inline constexpr bool is_cereal_own = false;
template <class T>
inline constexpr bool is_cereal_own<cereal::virtual_base_class<T>> = true;
template <class T>
inline constexpr bool is_cereal_own<cereal::DeferredData<T>> = true;

}  // namespace detail

class OutputArchive : public cereal::OutputArchive<OutputArchive, cereal::AllowEmptyClassElision> {
  using Base = cereal::OutputArchive<OutputArchive, cereal::AllowEmptyClassElision>;

 public:
  explicit OutputArchive(Writer& writer) : Base(this), writer_(writer) {}

  template <class... Ts>
  OutputArchive& operator()(Ts&&... values) {
    (one(values), ...);
    return *this;
  }
  template <class T>
  OutputArchive& operator&(T&& value) {
    return (*this)(value);
  }
  template <class T>
  OutputArchive& operator<<(T&& value) {
    return (*this)(value);
  }

  void text(const std::string& value) { writer_.array(value.data(), value.size(), 1, false); }
  // What cereal does with a user's class.
  template <class T>
  void by_cereal(const T& value) {
    Base::operator()(value);
  }

 private:
  template <class T>
  void one(const T& value) {
    if constexpr (detail::is_named<T>) {
      one(value.value);
    } else if constexpr (detail::is_base<T>) {
      one(*value.base_ptr);
    } else if constexpr (detail::is_size<T>) {
      writer_.size(value.size);
    } else if constexpr (detail::is_binary<T>) {
      writer_.bytes(value.data, static_cast<std::size_t>(value.size));
    } else if constexpr (detail::is_map_item<T>) {
      one(value.key);
      one(value.value);
    } else if constexpr (detail::is_cereal_own<T>) {
      by_cereal(value);
    } else {
      static_assert(
          detail::can_transfer_now<T>(),
          "slipway cannot send this type, which a serialize function gives to the archive: it is or contains a "
          "pointer, a view, a shared_ptr to something not const, or a class without serialize");
      detail::encode_value(writer_, value);
    }
  }

  Writer& writer_;
};

class InputArchive : public cereal::InputArchive<InputArchive, cereal::AllowEmptyClassElision> {
  using Base = cereal::InputArchive<InputArchive, cereal::AllowEmptyClassElision>;

 public:
  explicit InputArchive(Reader& reader) : Base(this), reader_(reader) {}

  template <class... Ts>
  InputArchive& operator()(Ts&&... values) {
    (one(values), ...);
    return *this;
  }
  template <class T>
  InputArchive& operator&(T&& value) {
    return (*this)(value);
  }
  template <class T>
  InputArchive& operator>>(T&& value) {
    return (*this)(value);
  }

  void text(std::string& value) {
    const auto head = reader_.array_head(1, false);
    value.resize(head.count);
    reader_.array(head, value.data());
  }
  template <class T>
  void by_cereal(T& value) {
    Base::operator()(value);
  }

 private:
  template <class T>
  void one(T& value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (detail::is_named<Plain>) {
      one(value.value);
    } else if constexpr (detail::is_base<Plain>) {
      one(*value.base_ptr);
    } else if constexpr (detail::is_size<Plain>) {
      value.size = static_cast<std::remove_reference_t<decltype(value.size)>>(reader_.count());
    } else if constexpr (detail::is_binary<Plain>) {
      reader_.bytes(value.data, static_cast<std::size_t>(value.size));
    } else if constexpr (detail::is_map_item<Plain>) {
      one(value.key);
      one(value.value);
    } else if constexpr (detail::is_cereal_own<Plain>) {
      by_cereal(value);
    } else {
      static_assert(
          detail::can_transfer_now<Plain>(),
          "slipway cannot receive this type, which a serialize function gives to the archive: it is or contains "
          "a pointer, a view, a shared_ptr to something not const, or a class without serialize");
      detail::decode_value(reader_, value);
    }
  }

  Reader& reader_;
};

// What cereal itself hands to an archive, past its operator(): the version of a class, and the value that stands for a
// class in save_minimal and load_minimal.
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(OutputArchive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(InputArchive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(OutputArchive& archive, const T& value) { archive(value); }
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(InputArchive& archive, T& value) { archive(value); }
inline void CEREAL_SAVE_FUNCTION_NAME(OutputArchive& archive, const std::string& value) { archive.text(value); }
inline void CEREAL_LOAD_FUNCTION_NAME(InputArchive& archive, std::string& value) { archive.text(value); }

namespace detail {

// A class that cereal can both write and read, in any of its ways.
template <class T>
inline constexpr bool is_cereal_class = cereal::traits::is_output_serializable<T, OutputArchive>::value&&
    cereal::traits::is_input_serializable<T, InputArchive>::value;

}  // namespace detail
}  // namespace slipway

CEREAL_SETUP_ARCHIVE_TRAITS(slipway::InputArchive, slipway::OutputArchive)
