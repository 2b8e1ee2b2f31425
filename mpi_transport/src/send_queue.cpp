// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "send_queue.hpp"

#include "checked_mpi.hpp"
#include "process_failure.hpp"
#include "receive_ring.hpp"

namespace slipway::detail {

namespace {

constexpr std::uint32_t timed_one_in = 16;
constexpr std::uint8_t many_slow = 4;
constexpr seam::Time slow_send = 2'000;  // nanoseconds; shared memory and fast networks take a fifth of it
constexpr seam::Time quiet_if_fast = 2'000;
constexpr seam::Time quiet_if_slow = 100'000;

}  // namespace

int SendQueue::flush_listed() {
  int sent = 0;
  Outbox::Peer* peer = outbox_.take_listed();
  const seam::Time now = seam::now();
  while (peer) {
    Outbox::Peer* const next = peer->next_listed;  // once drained, the peer may be listed anew
    bool wants_credit = false;
    BatchList batches = outbox_.drain(*peer, now, wants_credit);
    while (Batch* const batch = batches.pop()) {
      send(batch, wants_credit);
      ++sent;
    }
    peer = next;
  }
  return sent;
}

int SendQueue::start(Batch* batch) {
  return MPI_Isend(batch->data, static_cast<int>(batch->size), MPI_BYTE, static_cast<int>(batch->to), batch_tag,
                   communicator_, &batch->request);
}

// Looks now and then what a message costs. Where it is a system call (TCP), bursts are better kept together.
int SendQueue::start_timed(Batch* batch) {
  const seam::Time before = seam::now();
  const int code = start(batch);
  auto& slowness = slowness_[batch->to];
  if (seam::now() - before > slow_send) {
    if (slowness < 2 * many_slow) ++slowness;
  } else if (slowness > 0) {
    --slowness;
  }
  auto& quiet_time = outbox_.peer(batch->to).quiet_time;
  quiet_time.store(slowness >= many_slow ? quiet_if_slow : quiet_if_fast, std::memory_order_relaxed);
  return code;
}

void SendQueue::send(Batch* batch, bool wants_credit) {
  const auto [credits, loans] = credits_.take(batch->to);
  BatchHeader header;
  header.flags =
      static_cast<std::uint8_t>((batch->funded ? batch_uses_credit : 0) | (wants_credit ? batch_wants_credit : 0) |
                                (batch->transport_frames ? batch_transport_frames : 0));
  header.credits = credits;
  header.loans = loans;
  header.given_back = batch->given_back;
  std::memcpy(batch->data, &header, sizeof header);
  const int code = ++sends_ % timed_one_in == 0 ? start_timed(batch) : start(batch);
  if (code != MPI_SUCCESS) [[unlikely]]
    return bury(batch, code);
  ring(batch->to);
  pending_.push(batch);
  count_unfinished(1);
}

// The first that has not ended goes to the end of the line, so that a stuck peer hides nobody.
int SendQueue::complete_pending() {
  int ended = 0;
  while (Batch* const batch = pending_.pop()) {
    int done = 0;
    if (const int code = MPI_Test(&batch->request, &done, MPI_STATUS_IGNORE); code != MPI_SUCCESS) {
      count_unfinished(-1);
      bury(batch, code);
      continue;
    }
    if (!done) {
      batch->was_unfinished = true;
      pending_.push(batch);
      break;
    }
    if (batch->was_unfinished) ring(batch->to);  // only now the message is where a sleeper finds it
    outbox_.give_back(batch);
    count_unfinished(-1);
    ++ended;
  }
  return ended;
}

// The receiver's process is gone; who looks after that hears of it elsewhere.
void SendQueue::bury(Batch* batch, int code) {
  if (!is_process_failure(code)) check(code);
  graveyard_.push(batch);
}

void SendQueue::abandon(std::uint32_t peer) {
  BatchList others;
  while (Batch* const batch = pending_.pop()) {
    if (batch->to == peer) {
      graveyard_.push(batch);
      count_unfinished(-1);
    } else {
      others.push(batch);
    }
  }
  pending_ = others;
}

}  // namespace slipway::detail
