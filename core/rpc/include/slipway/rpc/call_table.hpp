// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "slipway/rpc/call_state.hpp"

namespace slipway::detail {

// The calls of this rank that other ranks will answer, by number. A number is never used twice (slot and generation), so
// that a late or forged reply finds nothing. Any thread.
class CallTable {
 public:
  // Takes over a reference to the state.
  std::uint64_t insert(CallState* state) {
    lock_.lock();
    if (free_.empty()) grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = slot_at(index);
    const std::uint64_t id = (std::uint64_t{++slot.generation} << 32) | index;
    slot.state = state;
    slot.id.store(id, std::memory_order_release);
    lock_.unlock();
    return id;
  }

  // The state and its reference, once; nothing for a number that is not in the table.
  CallState* take(std::uint64_t id) {
    const auto index = static_cast<std::uint32_t>(id);
    if (index >= size_.load(std::memory_order_acquire)) return nullptr;
    Slot& slot = slot_at(index);
    std::uint64_t expected = id;
    if (id == 0 || !slot.id.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return nullptr;
    CallState* const state = slot.state;
    lock_.lock();
    free_.push_back(index);
    lock_.unlock();
    return state;
  }

  // The numbers of all calls in the table.
  std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> ids;
    const std::uint32_t size = size_.load(std::memory_order_acquire);
    for (std::uint32_t index = 0; index < size; ++index) {
      if (const std::uint64_t id = slot_at(index).id.load(std::memory_order_acquire)) ids.push_back(id);
    }
    return ids;
  }

  // The state of a call that is in the table, with a reference of its own; nullptr if it is not.
  StateRef<> find(std::uint64_t id) {
    const auto index = static_cast<std::uint32_t>(id);
    if (id == 0 || index >= size_.load(std::memory_order_acquire)) return {};
    lock_.lock();
    Slot& slot = slot_at(index);
    CallState* const state = slot.id.load(std::memory_order_acquire) == id ? slot.state : nullptr;
    if (state) state->retain();
    const bool still_there = slot.id.load(std::memory_order_acquire) == id;
    lock_.unlock();
    if (!state) return {};
    if (!still_there) {
      state->release();
      return {};
    }
    return StateRef<>(state);
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> id{0};  // 0: free
    std::uint32_t generation = 0;
    CallState* state = nullptr;
  };
  static constexpr std::uint32_t chunk_size = 1024;
  static constexpr std::uint32_t chunk_count = 64 * 1024;

  Slot& slot_at(std::uint32_t index) const { return chunks_[index / chunk_size][index % chunk_size]; }

  void grow() {
    const std::uint32_t size = size_.load(std::memory_order_relaxed);
    chunks_[size / chunk_size] = std::make_unique<Slot[]>(chunk_size);
    free_.reserve(size + chunk_size);
    for (std::uint32_t index = chunk_size; index > 0; --index) free_.push_back(size + index - 1);
    size_.store(size + chunk_size, std::memory_order_release);
  }

  seam::SpinLock lock_;  // guards free_, growth, and the state pointers against `find`
  std::vector<std::uint32_t> free_;
  std::atomic<std::uint32_t> size_{0};
  std::unique_ptr<std::unique_ptr<Slot[]>[]> chunks_ = std::make_unique<std::unique_ptr<Slot[]>[]>(chunk_count);
};

}  // namespace slipway::detail
