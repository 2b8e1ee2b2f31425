// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/bytes.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>

#include "slipway/base/seam.hpp"

namespace slipway {
namespace detail {
namespace {

// Four size classes an octave: at most a quarter of a block is wasted. The smallest is 64 bytes.
constexpr std::size_t smallest = 64;
constexpr std::size_t classes = 4 * 52;

struct SizeClass {
  std::size_t index;
  std::size_t capacity;
};

SizeClass class_of(std::size_t size) {
  if (size <= smallest) return {0, smallest};
  if (size > std::numeric_limits<std::size_t>::max() / 4) throw std::bad_alloc();
  const auto octave = static_cast<unsigned>(std::bit_width(size - 1)) - 1;  // 2^octave < size <= 2^(octave+1)
  const std::size_t step = (std::size_t{1} << octave) / 4;
  const std::size_t quarters = (size - (std::size_t{1} << octave) + step - 1) / step;  // 1..4
  return {4 * (octave - 6) + quarters, (std::size_t{1} << octave) + quarters * step};
}

std::byte* map_huge(std::size_t capacity) {
  const std::size_t length = capacity + huge_page;
  void* mapped = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const auto start = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t aligned = (start + huge_page - 1) & ~(huge_page - 1);
  if (aligned != start) ::munmap(mapped, aligned - start);
  const std::uintptr_t end = aligned + capacity;
  if (end != start + length) ::munmap(reinterpret_cast<void*>(end), start + length - end);
  auto* block = reinterpret_cast<std::byte*>(aligned);
  ::madvise(block, capacity, MADV_HUGEPAGE);  // advice only: without it the block is slower, not wrong
  return block;
}

std::byte* take_from_system(std::size_t capacity) {
  if (capacity >= huge_page) return map_huge(capacity);
  return static_cast<std::byte*>(::operator new (capacity, std::align_val_t{64}));
}

void give_to_system(std::byte* block, std::size_t capacity) noexcept {
  if (capacity >= huge_page) {
    ::munmap(block, capacity);
  } else {
    ::operator delete (block, std::align_val_t{64});
  }
}

// Unused blocks, by size class, each list through the blocks' own first bytes.
class Pool {
 public:
  std::byte* take(SizeClass size_class) {
    if (std::byte* block = pop(size_class)) {
      recycled_.fetch_add(1, std::memory_order_relaxed);
      return block;
    }
    allocated_.fetch_add(1, std::memory_order_relaxed);
    return take_from_system(size_class.capacity);
  }

  void give(std::byte* block, SizeClass size_class) noexcept {
    const std::size_t before = cached_.fetch_add(size_class.capacity, std::memory_order_relaxed);
    if (before + size_class.capacity > limit_.load(std::memory_order_relaxed)) {
      cached_.fetch_sub(size_class.capacity, std::memory_order_relaxed);
      give_to_system(block, size_class.capacity);
      return;
    }
    List& list = lists_[size_class.index];
    const std::lock_guard guard(list.lock);
    std::memcpy(block, &list.first, sizeof(list.first));
    list.first = block;
  }

  void set_limit(std::size_t limit) {
    limit_.store(limit, std::memory_order_relaxed);
    for (std::size_t index = classes; index-- > 0 && cached_.load(std::memory_order_relaxed) > limit;) {
      const SizeClass size_class{index, capacity_of(index)};
      while (cached_.load(std::memory_order_relaxed) > limit) {
        std::byte* block = pop(size_class);
        if (block == nullptr) break;
        give_to_system(block, size_class.capacity);
      }
    }
  }

  PoolStats stats() const {
    return {allocated_.load(std::memory_order_relaxed), recycled_.load(std::memory_order_relaxed),
            cached_.load(std::memory_order_relaxed)};
  }

 private:
  struct alignas(64) List {
    seam::SpinLock lock;
    std::byte* first = nullptr;  // guarded by lock
  };

  static std::size_t capacity_of(std::size_t index) {
    if (index == 0) return smallest;
    const std::size_t octave = (index - 1) / 4 + 6;
    return (std::size_t{1} << octave) + ((index - 1) % 4 + 1) * ((std::size_t{1} << octave) / 4);
  }

  std::byte* pop(SizeClass size_class) noexcept {
    List& list = lists_[size_class.index];
    std::byte* block = nullptr;
    {
      const std::lock_guard guard(list.lock);
      block = list.first;
      if (block == nullptr) return nullptr;
      std::memcpy(&list.first, block, sizeof(list.first));
    }
    cached_.fetch_sub(size_class.capacity, std::memory_order_relaxed);
    return block;
  }

  std::array<List, classes> lists_;
  std::atomic<std::size_t> limit_{std::size_t{256} << 20U};
  std::atomic<std::uint64_t> cached_{0};
  std::atomic<std::uint64_t> allocated_{0};
  std::atomic<std::uint64_t> recycled_{0};
};

// Never destroyed: static objects may hold buffers until the very end.
Pool& pool() {
  static Pool* const the_pool = new Pool;
  return *the_pool;
}

}  // namespace

Bytes::Bytes(std::size_t size) {
  if (size == 0) return;
  const SizeClass size_class = class_of(size);
  data_ = pool().take(size_class);
  size_ = size;
  capacity_ = size_class.capacity;
}

void Bytes::release() noexcept {
  pool().give(data_, class_of(capacity_));
  data_ = nullptr;
}

}  // namespace detail

PoolStats pool_stats() { return detail::pool().stats(); }

void set_pool_limit(std::size_t bytes) { detail::pool().set_limit(bytes); }

}  // namespace slipway
