// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "outbox.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "slipway/base/error.hpp"

namespace slipway::detail {

Outbox::Outbox(std::uint32_t peers, std::uint32_t initial_credits) : peers_(std::make_unique<Peer[]>(peers)) {
  for (std::uint32_t rank = 0; rank < peers; ++rank) {
    peers_[rank].rank = rank;
    peers_[rank].credits = initial_credits;
  }
}

// Called with the peer's lock.
void Outbox::list(Peer& peer) {
  if (peer.listed) return;
  peer.listed = true;
  peer.next_listed = listed_.load(std::memory_order_relaxed);
  while (!listed_.compare_exchange_weak(peer.next_listed, &peer, std::memory_order_release)) {
  }
}

void Outbox::spend_credit(Peer& peer, Batch* batch) {
  --peer.credits;
  ++peer.in_use;
  peer.used_lately = true;
  batch->funded = true;
}

Batch* Outbox::take_batch(Peer& peer) {
  Batch* batch = std::exchange(peer.spare, nullptr);
  if (batch) {
    batch->reset();
  } else {
    batch = pool_.take();
  }
  batch->to = peer.rank;
  return batch;
}

Batch* Outbox::open_ready(Peer& peer, bool funded, bool& due) {
  const bool first = peer.ready.empty();
  due = !first || seam::now() - peer.last_drain >= peer.quiet_time.load(std::memory_order_relaxed);
  Batch* const batch = take_batch(peer);
  if (funded) spend_credit(peer, batch);
  peer.ready.push(batch);
  list(peer);
  return batch;
}

Batch* Outbox::find_request_batch(Peer& peer, std::size_t size, bool& due) {
  if (peer.backlog.empty()) {
    Batch* const open = peer.ready.back();
    if (peer.credits > 0 && open && open->room() >= size) {  // begun by a reply
      spend_credit(peer, open);
      return open;
    }
    if (peer.credits > 0) return open_ready(peer, true, due);
  }
  Batch* const waiting = peer.backlog.back();
  if (waiting && waiting->room() >= size) return waiting;
  Batch* const batch = take_batch(peer);
  peer.backlog.push(batch);
  return batch;
}

Batch* Outbox::find_batch(Peer& peer, FrameClass frame_class, std::size_t size, bool& due) {
  if (peer.dead) return nullptr;
  if (size > batch_bytes - sizeof(BatchHeader)) {
    throw Error("a frame of " + std::to_string(size) + " bytes is no small frame (the limit is " +
                std::to_string(batch_bytes - sizeof(BatchHeader)) + "); send it as a LargeFrame");
  }
  if (frame_class == FrameClass::request) return find_request_batch(peer, size, due);
  return open_ready(peer, false, due);
}

bool Outbox::append_own(std::uint32_t to, FrameClass frame_class, wire::FrameKind kind, std::span<const std::byte> head,
                        std::span<const std::byte> body) {
  Peer& peer = peers_[to];
  const wire::FrameHeader header{.kind = kind, .size = static_cast<std::uint32_t>(head.size() + body.size())};
  const std::size_t size = sizeof header + header.size;
  bool due = false;
  const seam::BiasedLock::Guard guard(peer.lock);
  Batch* batch = peer.ready.back();
  if (!fits(peer, batch, frame_class, size)) batch = find_batch(peer, frame_class, size, due);
  if (!batch) return false;
  batch->append(std::as_bytes(std::span(&header, 1)));
  batch->append(head);
  if (!body.empty()) batch->append(body);
  batch->transport_frames = true;
  return true;
}

void Outbox::want_header(std::uint32_t to) {
  Peer& peer = peers_[to];
  bool due = false;
  const seam::BiasedLock::Guard guard(peer.lock);
  if (!peer.dead && peer.ready.empty()) open_ready(peer, false, due);
}

BatchList Outbox::drain(Peer& peer, seam::Time now, bool& wants_credit) {
  const seam::BiasedLock::Guard guard(peer.lock);
  BatchList batches = peer.ready;
  peer.ready = {};
  peer.listed = false;
  peer.last_drain = now;
  if (!peer.spare) peer.spare = std::exchange(at_hand_, nullptr);
  wants_credit = !peer.backlog.empty();
  return batches;
}

void Outbox::add_credits(std::uint32_t from, std::uint32_t credits, std::uint32_t loans) {
  Peer& peer = peers_[from];
  const seam::BiasedLock::Guard guard(peer.lock);
  if (peer.dead) return;
  peer.credits += credits;
  peer.loans += loans;
  peer.in_use -= std::min(peer.in_use, credits - loans);
  while (peer.credits > 0 && !peer.backlog.empty()) {
    Batch* const batch = peer.backlog.pop();
    spend_credit(peer, batch);
    peer.ready.push(batch);
    list(peer);
  }
}

void Outbox::give_back_unused_loans(std::uint32_t to) {
  Peer& peer = peers_[to];
  bool due = false;
  const seam::BiasedLock::Guard guard(peer.lock);
  const bool idle = !peer.used_lately && peer.in_use == 0;
  peer.used_lately = false;
  if (!idle || peer.loans == 0 || peer.dead) return;
  peer.credits -= peer.loans;
  Batch* const batch = peer.ready.empty() ? open_ready(peer, false, due) : peer.ready.back();
  batch->given_back = static_cast<std::uint16_t>(batch->given_back + peer.loans);
  peer.loans = 0;
}

void Outbox::recycle(BatchList& batches) {
  while (Batch* const batch = batches.pop()) pool_.give(batch);
}

void Outbox::declare_dead(std::uint32_t rank) {
  Peer& peer = peers_[rank];
  const seam::BiasedLock::Guard guard(peer.lock);
  peer.dead = true;
  recycle(peer.ready);
  recycle(peer.backlog);
}

}  // namespace slipway::detail
