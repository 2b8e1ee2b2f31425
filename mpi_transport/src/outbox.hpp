// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "batch.hpp"
#include "slipway/base/biased_lock.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/rpc/transport.hpp"

// Where frames wait for the turn: one queue of batches a peer, filled by any thread, emptied by the holder of the turn.
//
// Requests need a credit a batch. Without one they wait in the peer's backlog, in order; replies and control frames
// never wait, they take a batch of their own. While nothing waits for credits, all classes share batches and keep their
// common order.
namespace slipway::detail {

class Outbox {
 public:
  struct alignas(64) Peer {
    seam::BiasedLock lock;
    bool listed = false;  // in the list of peers that have something to send
    bool dead = false;
    BatchList ready;         // may go; the last one is open
    BatchList backlog;       // requests without credits; the last one is open
    Batch* spare = nullptr;  // the next to open
    std::uint32_t credits = 0;
    std::uint32_t loans = 0;   // of the credits ever granted: those above the initial number
    std::uint32_t in_use = 0;  // credits spent and not returned yet
    bool used_lately = false;
    seam::Time last_drain = 0;
    // A peer that got nothing for this long gets the next frame at once; else it waits for company until the next poll.
    std::atomic<seam::Time> quiet_time{2'000};
    Peer* next_listed = nullptr;
    std::uint32_t rank = 0;
  };

  Outbox(std::uint32_t peers, std::uint32_t initial_credits);

  Peer& peer(std::uint32_t rank) { return peers_[rank]; }

  // Any thread. True: better sent at once. Frames to dead peers are dropped.
  bool append(std::uint32_t to, FrameClass frame_class, std::span<const std::byte> head,
              std::span<const std::byte> body) {
    Peer& peer = peers_[to];
    const std::size_t size = head.size() + body.size();
    bool due = false;
    const seam::BiasedLock::Guard guard(peer.lock);
    Batch* batch = peer.ready.back();
    if (!fits(peer, batch, frame_class, size)) [[unlikely]] {
      batch = find_batch(peer, frame_class, size, due);
      if (!batch) return false;
    }
    batch->append(head);
    if (!body.empty()) batch->append(body);
    return due;
  }

  // Any thread: a frame for the peer's transport. False: the peer is dead.
  bool append_own(std::uint32_t to, FrameClass frame_class, wire::FrameKind kind, std::span<const std::byte> head,
                  std::span<const std::byte> body);

  // Makes sure that at least an empty batch, a mere header, goes to the peer.
  void want_header(std::uint32_t to);

  bool has_listed() const { return listed_.load(std::memory_order_relaxed) != nullptr; }

  // With the turn. All listed peers, as a list by next_listed; each must be drained.
  Peer* take_listed() { return listed_.exchange(nullptr, std::memory_order_acquire); }
  BatchList drain(Peer& peer, seam::Time now, bool& wants_credit);
  // With the turn: a drained batch that is done with. The last one is at hand for the next peer, without a lock.
  void give_back(Batch* batch) {
    if (at_hand_) {
      pool_.give(batch);
    } else {
      at_hand_ = batch;
    }
  }

  // With the turn: the peer has returned or lent credits.
  void add_credits(std::uint32_t from, std::uint32_t credits, std::uint32_t loans);
  // With the turn: sends loans back that nobody has used since the last call.
  void give_back_unused_loans(std::uint32_t to);

  // With the turn: drops what waits for the peer, now and later.
  void declare_dead(std::uint32_t rank);

 private:
  static bool fits(const Peer& peer, const Batch* batch, FrameClass frame_class, std::size_t size) {
    if (!batch || batch->room() < size) return false;
    return frame_class != FrameClass::request || (batch->funded && peer.backlog.empty());
  }
  Batch* find_batch(Peer& peer, FrameClass frame_class, std::size_t size, bool& due);
  Batch* find_request_batch(Peer& peer, std::size_t size, bool& due);
  Batch* take_batch(Peer& peer);
  Batch* open_ready(Peer& peer, bool funded, bool& due);
  void spend_credit(Peer& peer, Batch* batch);
  void list(Peer& peer);
  void recycle(BatchList& batches);

  std::atomic<Peer*> listed_{nullptr};
  std::unique_ptr<Peer[]> peers_;
  BatchPool pool_;
  Batch* at_hand_ = nullptr;  // with the turn
};

}  // namespace slipway::detail
