// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/stack.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace slipway::detail {

namespace {

// The address below which less than a quarter is left; 0: not known.
std::uintptr_t find_mark() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<std::uintptr_t>(lowest) + size / 4 : 0;
}

}  // namespace

bool stack_is_short() {
  thread_local const std::uintptr_t mark = find_mark();
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < mark;
}

}  // namespace slipway::detail
