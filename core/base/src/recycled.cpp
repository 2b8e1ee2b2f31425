// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/recycled.hpp"

#include <array>
#include <cstdint>
#include <new>

#include "slipway/base/seam.hpp"

namespace slipway::recycled {

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t fine_classes = 16;                 // 64, 128 … 1024 bytes
constexpr std::size_t classes = fine_classes + 3;        // then 2048, 4096, 8192
constexpr std::uint32_t kept_per_thread = 128;           // blocks a class; half of them move when it overflows
constexpr std::uint32_t kept_shared = 16 * 1024;

struct Block {
  Block* next;
};

struct Stack {
  Block* top = nullptr;
  std::uint32_t count = 0;

  void push(Block* block) {
    block->next = top;
    top = block;
    ++count;
  }
  Block* pop() {
    Block* const block = top;
    if (block) {
      top = block->next;
      --count;
    }
    return block;
  }
};

std::size_t class_of(std::size_t size) {
  if (size <= granule * fine_classes) return size == 0 ? 0 : (size - 1) / granule;
  return size <= 2048 ? fine_classes : size <= 4096 ? fine_classes + 1 : fine_classes + 2;
}

std::size_t size_of_class(std::size_t index) {
  return index < fine_classes ? (index + 1) * granule : std::size_t{2048} << (index - fine_classes);
}

struct Shared {
  seam::SpinLock lock;
  Stack blocks;
};

// Never destroyed: threads may end after static destruction began.
std::array<Shared, classes>& shared() {
  static auto* const lists = new std::array<Shared, classes>;
  return *lists;
}

void move_some(Stack& from, Stack& to, std::uint32_t count) {
  for (; count > 0 && from.top; --count) to.push(from.pop());
}

void free_all(Stack& blocks) {
  while (Block* block = blocks.pop()) ::operator delete(block);
}

struct Local {
  std::array<Stack, classes> lists;

  ~Local() {
    for (std::size_t index = 0; index < classes; ++index) {
      Shared& common = shared()[index];
      common.lock.lock();
      move_some(lists[index], common.blocks, lists[index].count);
      common.lock.unlock();
    }
  }

  void refill(std::size_t index) {
    Shared& common = shared()[index];
    common.lock.lock();
    move_some(common.blocks, lists[index], kept_per_thread / 2);
    common.lock.unlock();
  }

  void spill(std::size_t index) {
    Shared& common = shared()[index];
    Stack surplus;
    common.lock.lock();
    Stack& target = common.blocks.count < kept_shared ? common.blocks : surplus;
    move_some(lists[index], target, kept_per_thread / 2);
    common.lock.unlock();
    free_all(surplus);
  }
};

thread_local bool local_gone = false;

struct LocalGuard {
  Local local;
  ~LocalGuard() { local_gone = true; }
};

thread_local LocalGuard guard;

}  // namespace

void* take(std::size_t size) {
  if (size > largest || local_gone) return ::operator new(size > largest ? size : size_of_class(class_of(size)));
  const std::size_t index = class_of(size);
  Stack& list = guard.local.lists[index];
  if (!list.top) guard.local.refill(index);
  if (Block* block = list.pop()) return block;
  return ::operator new(size_of_class(index));
}

void give(void* memory, std::size_t size) noexcept {
  if (!memory) return;
  if (size > largest || local_gone) return ::operator delete(memory);
  const std::size_t index = class_of(size);
  Stack& list = guard.local.lists[index];
  list.push(static_cast<Block*>(memory));
  if (list.count > kept_per_thread) guard.local.spill(index);
}

}  // namespace slipway::recycled
