// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

// Small blocks that come and go with every call. A warm rank gets them from lists a thread, without the allocator.
namespace slipway::recycled {

inline constexpr std::size_t largest = 8192;  // bytes; what is larger goes to the allocator

// At least `size` bytes, aligned as by operator new. Give it back with the same size, from any thread.
void* take(std::size_t size);
void give(void* block, std::size_t size) noexcept;

// Base of classes whose objects live in recycled blocks. Needs a virtual destructor when deleted through a base.
struct Object {
  static void* operator new(std::size_t size) { return take(size); }
  static void operator delete(void* block, std::size_t size) noexcept { give(block, size); }
  // Over-aligned classes do not recycle.
  static void* operator new(std::size_t size, std::align_val_t alignment) { return ::operator new(size, alignment); }
  static void operator delete(void* block, std::size_t, std::align_val_t alignment) noexcept {
    ::operator delete(block, alignment);
  }
};

}  // namespace slipway::recycled
