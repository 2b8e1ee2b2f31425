// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/wire.hpp"

// A batch is one MPI message: a BatchHeader and whole frames for one peer. Frames share a batch as long as it stays
// below 4,096 bytes with MPI's own header, Open MPI's eager limit for shared memory. A frame that is larger by itself
// gets a batch of the other size: the receiver copies it at one go all the same, and no announcement has to go there
// and back.
namespace slipway::detail {

enum BatchFlags : std::uint8_t {
  batch_uses_credit = 1,      // has requests
  batch_wants_credit = 2,     // more requests wait at the sender for credits
  batch_transport_frames = 4  // has frames that the transport eats itself
};

// 8 bytes. Credits are counted in batches.
struct BatchHeader {
  std::uint8_t flags = 0;
  std::uint8_t reserved = 0;
  std::uint16_t credits = 0;     // the receiver of this batch may send so many more request batches
  std::uint16_t loans = 0;       // this part of `credits` is beyond what it had at the start
  std::uint16_t given_back = 0;  // loans that the sender of this batch returns unused
};
static_assert(sizeof(BatchHeader) == 8 && std::is_trivially_copyable_v<BatchHeader>);

inline constexpr std::size_t batch_bytes = 4000;
inline constexpr std::size_t large_batch_bytes = 16 * 1024;  // what a receive of the ring takes

// Its bytes follow it in memory.
struct alignas(64) Batch {
  explicit Batch(std::size_t bytes) : capacity(static_cast<std::uint32_t>(bytes)) {}

  Batch* next = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
  std::uint32_t to = 0;
  std::uint32_t size = sizeof(BatchHeader);
  const std::uint32_t capacity;
  bool funded = false;  // a credit has been spent on it, so it may hold requests
  bool transport_frames = false;
  bool was_unfinished = false;   // MPI had not ended the send when it was looked at
  std::uint16_t given_back = 0;  // see BatchHeader

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  std::size_t room() const { return capacity - size; }
  void append(std::span<const std::byte> bytes) {
    std::memcpy(data() + size, bytes.data(), bytes.size());
    size += static_cast<std::uint32_t>(bytes.size());
  }
  void reset() {
    next = nullptr;
    size = sizeof(BatchHeader);
    funded = transport_frames = was_unfinished = false;
    given_back = 0;
  }
};

// A queue threaded through the batches themselves.
class BatchList {
 public:
  bool empty() const { return head_ == nullptr; }
  Batch* front() const { return head_; }
  Batch* back() const { return tail_; }
  void push(Batch* batch) {
    batch->next = nullptr;
    (head_ ? tail_->next : head_) = batch;
    tail_ = batch;
  }
  Batch* pop() {
    Batch* const batch = head_;
    if (batch) {
      head_ = batch->next;
      if (!head_) tail_ = nullptr;
    }
    return batch;
  }

 private:
  Batch* head_ = nullptr;
  Batch* tail_ = nullptr;
};

// Batches of one size for reuse, the last used first: it is still in the cache. Any thread.
class BatchPool {
 public:
  explicit BatchPool(std::size_t bytes) : bytes_(bytes) {}
  ~BatchPool() {
    for (std::byte* const slab : slabs_) ::operator delete[](slab, std::align_val_t(alignof(Batch)));
  }
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;

  Batch* take() {
    std::lock_guard guard(lock_);
    if (!free_) [[unlikely]]
      grow();
    Batch* const batch = free_;
    free_ = batch->next;
    batch->reset();
    return batch;
  }
  void give(Batch* batch) {
    std::lock_guard guard(lock_);
    batch->next = free_;
    free_ = batch;
  }

 private:
  void grow() {
    constexpr std::size_t slab_bytes = 64 * 1024;
    const std::size_t step = (sizeof(Batch) + bytes_ + alignof(Batch) - 1) / alignof(Batch) * alignof(Batch);
    const std::size_t count = slab_bytes / step;
    slabs_.reserve(slabs_.size() + 1);
    slabs_.push_back(static_cast<std::byte*>(::operator new[](count* step, std::align_val_t(alignof(Batch)))));
    for (std::size_t i = 0; i < count; ++i) {
      auto* const batch = new (slabs_.back() + i * step) Batch(bytes_);
      batch->next = free_;
      free_ = batch;
    }
  }

  const std::size_t bytes_;
  seam::SpinLock lock_;
  Batch* free_ = nullptr;
  std::vector<std::byte*> slabs_;
};

}  // namespace slipway::detail
