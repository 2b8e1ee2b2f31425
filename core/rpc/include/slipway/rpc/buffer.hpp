// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "slipway/rpc/bytes.hpp"
#include "slipway/rpc/wire.hpp"

namespace slipway {

using MemoryKind = wire::MemoryKind;

// A fixed number of T in contiguous, recycled memory: what large data travels in. It is moved, never copied by
// accident; passed to a call as an rvalue it is sent from where it lies and received into its final place. The elements
// of a new buffer are NOT initialised. Not thread safe, like a vector.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                "Buffer<T> holds plain bytes: T must be trivially copyable");
  static_assert(alignof(T) <= 64, "Buffer<T> aligns to 64 bytes");

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  Buffer() = default;
  explicit Buffer(std::size_t size) : bytes_(checked_bytes(size)), size_(size) {}
  // Takes memory that holds whole elements.
  static Buffer adopt(detail::Bytes bytes) {
    Buffer buffer;
    buffer.size_ = bytes.size() / sizeof(T);
    buffer.bytes_ = std::move(bytes);
    return buffer;
  }
  static Buffer copy_of(std::span<const T> elements) {
    Buffer buffer(elements.size());
    if (!elements.empty()) std::memcpy(buffer.bytes_.data(), elements.data(), elements.size_bytes());
    return buffer;
  }
  Buffer(Buffer&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  Buffer clone() const { return copy_of(span()); }

  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  MemoryKind kind() const { return MemoryKind::host; }

  T* data() { return reinterpret_cast<T*>(bytes_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

  // Gives the memory away; the buffer is empty afterwards.
  detail::Bytes release() {
    size_ = 0;
    return std::move(bytes_);
  }

 private:
  static detail::Bytes checked_bytes(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return detail::Bytes(size * sizeof(T));
  }

  detail::Bytes bytes_;
  std::size_t size_ = 0;
};

}  // namespace slipway
