// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "batch.hpp"
#include "credits.hpp"
#include "doorbell.hpp"
#include "outbox.hpp"

namespace slipway::detail {

// Carries batches from the outbox to MPI. With the turn only, but for `unfinished`.
class SendQueue {
 public:
  // `bells`: for each rank its cell, null where it cannot be rung.
  SendQueue(MPI_Comm communicator, Outbox& outbox, CreditBook& credits, const std::vector<Doorbell::Cell*>& bells)
      : communicator_(communicator), outbox_(outbox), credits_(credits), bells_(bells), slowness_(bells.size(), 0) {}

  // Sends all that waits. Returns the number of batches.
  int flush() { return outbox_.has_listed() ? flush_listed() : 0; }

  // Looks whether sends have ended meanwhile. Returns their number.
  int complete() { return pending_.empty() ? 0 : complete_pending(); }

  // Sends that MPI has taken, and that are not known to have ended. Any thread.
  std::uint32_t unfinished() const { return unfinished_.load(std::memory_order_relaxed); }

  // The peer's pending sends may never end and cannot be taken back: their batches stay for ever.
  void abandon(std::uint32_t peer);

 private:
  int flush_listed();
  void send(Batch* batch, bool wants_credit);
  int start(Batch* batch);
  int start_timed(Batch* batch);
  void bury(Batch* batch, int code);
  void ring(std::uint32_t rank) {
    if (bells_[rank]) Doorbell::ring(*bells_[rank]);
  }
  int complete_pending();
  void count_unfinished(std::int32_t more) {
    unfinished_.store(unfinished_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(more),
                      std::memory_order_relaxed);
  }

  MPI_Comm communicator_;
  Outbox& outbox_;
  CreditBook& credits_;
  const std::vector<Doorbell::Cell*>& bells_;
  std::vector<std::uint8_t> slowness_;  // by rank: how many of the last timed sends were slow
  std::uint32_t sends_ = 0;
  BatchList pending_;
  BatchList graveyard_;
  std::atomic<std::uint32_t> unfinished_{0};
};

}  // namespace slipway::detail
