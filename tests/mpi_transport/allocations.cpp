// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local constinit long count = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++count;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace slipway::test {

long allocations() { return count; }

}  // namespace slipway::test
