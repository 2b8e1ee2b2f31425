// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "slipway/base/biased_lock.hpp"
#include "slipway/rpc/call_state.hpp"
#include "slipway/rpc/wire.hpp"

namespace slipway::detail {

// A reply on its way from the wire to its call.
struct ArrivedReply {
  wire::FrameHeader header;
  std::span<const std::byte> body;
  CallState* state = nullptr;  // with a reference; nullptr: nobody waits for it
};

enum class Admitted : std::uint8_t { yes, full, closed };

// What this rank has under way: how much of each node's window its requests fill, and the calls that other ranks will
// answer, by number. A number comes again after 2^31 calls in its slot at the earliest, so that a late or forged reply
// finds nothing. One lock for everything, taken once for a call and once for a batch of replies. Any thread.
class CallTable {
 public:
  CallTable(std::size_t nodes, std::uint64_t most_calls, std::uint64_t most_bytes)
      : most_calls_(most_calls), most_bytes_(most_bytes), windows_(std::make_unique<Window[]>(nodes)), nodes_(nodes) {}

  // What a request of so many bytes takes of a window: calls in the upper half, 64-byte units in the lower.
  static std::uint64_t room_for(std::uint64_t bytes) { return one_call + std::min(bytes / unit, one_call - 1); }
  static std::uint64_t calls_in(std::uint64_t room) { return room >> 32; }
  static std::uint64_t bytes_in(std::uint64_t room) { return (room & (one_call - 1)) * unit; }

  // Takes room for a request. A call that another rank will answer (`state`, one reference is taken over if the answer
  // is yes) gets its number, in state->place.
  Admitted admit(NodeId node, std::uint64_t bytes, CallState* state) {
    const seam::BiasedLock::Guard guard(lock_);
    if (closed_) return Admitted::closed;
    Window& window = windows_[node.index()];
    const std::uint64_t used = window.load(std::memory_order_relaxed);
    if (!has_room(used, bytes)) return Admitted::full;
    if (state) enter(*state, room_for(bytes) - one_call);
    window.store(used + room_for(bytes), std::memory_order_relaxed);
    return Admitted::yes;
  }
  // From here on nothing is admitted.
  void close() {
    const seam::BiasedLock::Guard guard(lock_);
    closed_ = true;
  }

  // The call of that number, once, with its reference; what it took of its node's window is free again. nullptr:
  // unknown.
  CallState* take(std::uint64_t id) {
    const seam::BiasedLock::Guard guard(lock_);
    return take_locked(id);
  }
  void take_all(std::span<ArrivedReply> replies) {
    const seam::BiasedLock::Guard guard(lock_);
    for (ArrivedReply& reply : replies) {
      reply.state = take_locked(reply.header.id);
      if (reply.state) __builtin_prefetch(reply.state + 1, 1);  // where its value will be put
    }
  }
  // Room of requests without a number (posts, calls inside the rank). False: more than was taken.
  bool give_room(NodeId node, std::uint64_t room) {
    const seam::BiasedLock::Guard guard(lock_);
    return give_locked(node, room);
  }

  std::uint64_t calls_under_way(NodeId node) const {
    return calls_in(windows_[node.index()].load(std::memory_order_relaxed));
  }
  std::uint64_t calls_under_way() const {
    std::uint64_t sum = 0;
    for (std::size_t node = 0; node < nodes_; ++node) sum += calls_in(windows_[node].load(std::memory_order_relaxed));
    return sum;
  }

  // The numbers of all calls in the table.
  std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> ids;
    const seam::BiasedLock::Guard guard(lock_);
    for (std::uint32_t index = 0; index < size_; ++index) {
      const Slot& slot = slot_at(index);
      if (slot.state) ids.push_back(number(index, slot));
    }
    return ids;
  }
  // The state of a call that is in the table, with a reference of its own.
  StateRef<> find(std::uint64_t id) {
    const seam::BiasedLock::Guard guard(lock_);
    Slot* const slot = slot_of(id);
    return slot ? StateRef<>::share(slot->state) : StateRef<>();
  }

 private:
  using Window = std::atomic<std::uint64_t>;  // written with the lock
  struct Slot {
    CallState* state = nullptr;  // nullptr: free
    std::uint32_t generation = 0;
    union {
      std::uint32_t next_free = 0;  // of a free slot
      std::uint32_t units;          // of a slot in use: what its call takes of a window
    };
  };
  static constexpr std::uint64_t one_call = std::uint64_t{1} << 32;
  static constexpr std::uint64_t unit = 64;
  static constexpr std::uint32_t chunk_size = 1024;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t most_generations = (std::uint32_t{1} << 31) - 1;  // CallPlace needs a bit

  static std::uint64_t number(std::uint32_t index, const Slot& slot) {
    return (std::uint64_t{slot.generation} << 32) | index;
  }
  Slot& slot_at(std::uint32_t index) const { return chunks_[index / chunk_size][index % chunk_size]; }
  Slot* slot_of(std::uint64_t id) const {
    const auto index = static_cast<std::uint32_t>(id);
    if (index >= size_) return nullptr;
    Slot& slot = slot_at(index);
    return slot.state && number(index, slot) == id ? &slot : nullptr;
  }

  bool has_room(std::uint64_t used, std::uint64_t bytes) const {
    return calls_in(used) < most_calls_ && (bytes_in(used) == 0 || bytes_in(used) + bytes <= most_bytes_);
  }

  void enter(CallState& state, std::uint64_t units) {
    if (free_ == none) [[unlikely]]
      grow();
    const std::uint32_t index = free_;
    Slot& slot = slot_at(index);
    free_ = slot.next_free;
    slot.generation = slot.generation % most_generations + 1;  // 0 as a whole is no number
    slot.state = &state;
    slot.units = static_cast<std::uint32_t>(units);
    state.place.set_number(number(index, slot));
  }

  CallState* take_locked(std::uint64_t id) {
    Slot* const slot = slot_of(id);
    if (!slot) return nullptr;
    CallState* const state = slot->state;
    slot->state = nullptr;
    give_locked(state->info.node, one_call + slot->units);
    slot->next_free = free_;
    free_ = static_cast<std::uint32_t>(id);
    return state;
  }

  bool give_locked(NodeId node, std::uint64_t room) {
    Window& window = windows_[node.index()];
    const std::uint64_t used = window.load(std::memory_order_relaxed);
    if (used < room) return false;
    window.store(used - room, std::memory_order_relaxed);
    return true;
  }

  void grow() {
    chunks_.push_back(std::make_unique<Slot[]>(chunk_size));
    for (std::uint32_t i = 0; i < chunk_size; ++i) {
      slot_at(size_ + i).next_free = i + 1 < chunk_size ? size_ + i + 1 : none;
    }
    free_ = size_;
    size_ += chunk_size;
  }

  const std::uint64_t most_calls_;
  const std::uint64_t most_bytes_;
  mutable seam::BiasedLock lock_;            // guards what follows
  const std::unique_ptr<Window[]> windows_;  // by node
  const std::size_t nodes_;
  bool closed_ = false;
  std::uint32_t free_ = none;  // the first free slot; the others by next_free
  std::uint32_t size_ = 0;
  std::vector<std::unique_ptr<Slot[]>> chunks_;
};

}  // namespace slipway::detail
