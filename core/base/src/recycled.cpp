// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/recycled.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "slipway/base/seam.hpp"

namespace slipway::recycled {

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t fine_classes = 16;              // 64, 128 … 1024 bytes
constexpr std::size_t classes = fine_classes + 3;     // then 2048, 4096, 8192
constexpr std::size_t kept_per_thread = 256 * 1024;   // bytes a class; half of them move when it overflows
constexpr std::size_t kept_shared = 8 * 1024 * 1024;  // bytes a class of larger blocks

// Blocks up to this size are cut from slabs: the allocator would need half as much again for each. They stay with the
// process for good.
constexpr std::size_t largest_cut = 256;  // bytes
constexpr std::size_t slab = 32 * 1024;

// With a sanitizer every block is the allocator's own: it would not see that a block is used after it was given back.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool recycles = false;
#else
constexpr bool recycles = true;
#endif

struct Block {
  Block* next;
};

// Blocks begin with a cache line of their own.
void* make_block(std::size_t size) { return ::operator new(size, std::align_val_t{granule}); }
void free_block(void* block) { ::operator delete(block, std::align_val_t{granule}); }

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
  return fine_classes + static_cast<std::size_t>(std::bit_width((size - 1) / (2 * granule * fine_classes)));
}

std::size_t size_of_class(std::size_t index) {
  return index < fine_classes ? (index + 1) * granule : std::size_t{2048} << (index - fine_classes);
}

bool is_full(std::uint32_t blocks, std::size_t index) { return blocks * size_of_class(index) >= kept_per_thread; }

std::uint32_t moved_at_once(std::size_t index) {
  return static_cast<std::uint32_t>(kept_per_thread / 2 / size_of_class(index));
}

bool is_cut(std::size_t index) { return size_of_class(index) <= largest_cut; }

void cut_slab(Stack& into, std::size_t index) {
  const std::size_t size = size_of_class(index);
  auto* const memory = static_cast<std::byte*>(make_block(slab));
  for (std::size_t at = 0; at + size <= slab; at += size) into.push(reinterpret_cast<Block*>(memory + at));
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
  while (Block* block = blocks.pop()) free_block(block);
}

using Lists = std::array<Stack, classes>;

// Plain memory, so that a block comes and goes without a look at how far the thread's life has come: `Guard` below is
// made when the first list changes hands with the shared ones, and closes them.
thread_local constinit Lists local{};
thread_local constinit bool guarded = false;
thread_local constinit bool closed = false;

struct Guard {
  Guard() { guarded = true; }
  ~Guard() {
    closed = true;
    for (std::size_t index = 0; index < classes; ++index) {
      Shared& common = shared()[index];
      common.lock.lock();
      move_some(local[index], common.blocks, local[index].count);
      common.lock.unlock();
    }
  }
};

void make_guard() {
  static thread_local Guard guard;
  static_cast<void>(guard);
}

// Of a thread whose list is closed.
void* take_late(std::size_t index) {
  if (!is_cut(index)) return make_block(size_of_class(index));
  Shared& common = shared()[index];
  const std::lock_guard guard(common.lock);
  if (!common.blocks.top) cut_slab(common.blocks, index);
  return common.blocks.pop();
}
void give_late(std::size_t index, Block* block) {
  if (!is_cut(index)) return free_block(block);
  Shared& common = shared()[index];
  const std::lock_guard guard(common.lock);
  common.blocks.push(block);
}

void* take_shared(std::size_t index) {
  if (closed) return take_late(index);
  if (!guarded) make_guard();
  Shared& common = shared()[index];
  common.lock.lock();
  move_some(common.blocks, local[index], moved_at_once(index));
  common.lock.unlock();
  if (!local[index].top && is_cut(index)) cut_slab(local[index], index);
  if (Block* const block = local[index].pop()) return block;
  return make_block(size_of_class(index));
}

// Makes room in a list that is full, or that this thread has not used before.
void give_shared(std::size_t index, Block* block) {
  if (closed) return give_late(index, block);
  if (!guarded) make_guard();
  local[index].push(block);
  if (!is_full(local[index].count, index)) return;
  Shared& common = shared()[index];
  Stack surplus;
  common.lock.lock();
  const bool kept = is_cut(index) || common.blocks.count < kept_shared / size_of_class(index);
  Stack& target = kept ? common.blocks : surplus;
  move_some(local[index], target, moved_at_once(index));
  common.lock.unlock();
  free_all(surplus);
}

}  // namespace

void* take(std::size_t size) {
  if (!recycles || size > largest) [[unlikely]]
    return ::operator new(size);
  const std::size_t index = class_of(size);
  if (Block* const block = local[index].pop()) [[likely]]
    return block;
  return take_shared(index);
}

void give(void* memory, std::size_t size) noexcept {
  if (!memory) return;
  if (!recycles || size > largest) [[unlikely]]
    return ::operator delete(memory);
  const std::size_t index = class_of(size);
  Stack& list = local[index];
  auto* const block = static_cast<Block*>(memory);
  if (list.count > 0 && !is_full(list.count, index)) [[likely]]
    return list.push(block);
  give_shared(index, block);
}

}  // namespace slipway::recycled
