// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

// Recycled memory. A fresh page costs about as much to touch as to fill; a block that was here before costs nothing.
namespace slipway {

// What the process-wide pool behind Buffer and all large messages holds and has done so far.
struct PoolStats {
  std::uint64_t allocated = 0;     // blocks taken from the system
  std::uint64_t recycled = 0;      // blocks taken from the pool
  std::uint64_t cached_bytes = 0;  // in the pool now, unused
};
PoolStats pool_stats();

// The most unused bytes that the pool keeps; the rest goes back to the system. At first 256 MiB. Any thread.
void set_pool_limit(std::size_t bytes);

namespace detail {

inline constexpr std::size_t huge_page = std::size_t{2} << 20U;

// Owns one uninitialised block of memory, aligned to 64 bytes, and to 2 MiB when it is at least that large. Giving it
// up returns it to the pool. Throws std::bad_alloc. Any thread may free what another one allocated.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size);
  Bytes(Bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    Bytes old(std::move(*this));
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  ~Bytes() {
    if (data_ != nullptr) release();
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }  // size_ <= capacity_, all of it usable
  std::span<std::byte> span() { return {data_, size_}; }
  std::span<const std::byte> span() const { return {data_, size_}; }
  // At most the capacity; the contents stay.
  void set_size(std::size_t size) { size_ = size; }

 private:
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace detail
}  // namespace slipway
