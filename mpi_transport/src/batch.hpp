// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/wire.hpp"

// A batch is one MPI message: a BatchHeader and whole frames for one peer. It stays below 4,096 bytes with MPI's own
// header, Open MPI's eager limit for shared memory: only such messages may go to the receive ring.
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

struct Batch {
  Batch* next = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
  std::uint32_t to = 0;
  std::uint32_t size = sizeof(BatchHeader);
  bool funded = false;  // a credit has been spent on it, so it may hold requests
  bool transport_frames = false;
  bool was_unfinished = false;  // MPI had not ended the send when it was looked at
  std::uint16_t given_back = 0;  // see BatchHeader
  alignas(64) std::byte data[batch_bytes];

  std::size_t room() const { return batch_bytes - size; }
  void append(std::span<const std::byte> bytes) {
    std::memcpy(data + size, bytes.data(), bytes.size());
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

// Batches for reuse, the last used first: it is still in the cache. Any thread.
class BatchPool {
 public:
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
    constexpr std::size_t slab = 16;
    slabs_.push_back(std::make_unique<Batch[]>(slab));
    for (std::size_t i = 0; i < slab; ++i) {
      slabs_.back()[i].next = free_;
      free_ = &slabs_.back()[i];
    }
  }

  seam::SpinLock lock_;
  Batch* free_ = nullptr;
  std::vector<std::unique_ptr<Batch[]>> slabs_;
};

}  // namespace slipway::detail
