// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "chunk_stream.hpp"
#include "outbox.hpp"
#include "slipway/rpc/transport.hpp"

// Large frames. The announcement takes its place among the small frames; the receiver posts its receives into the final
// memory, then says "clear" and on which tag; the sender streams chunks on a communicator of their own.
//
// The tag is the number of the receiver's slot. It is free again when all its chunks have arrived, so tags never clash
// and stay small; at most `slots` transfers stream to a rank at a time, later ones wait their turn.
//
// Shorter ones on one host are *pushed*: the chunks follow the announcement at once, on a tag of the sender, by
// synchronous sends, which end when they are matched: only then is the tag free again. That saves asking, which costs a
// time slice of each rank where ranks share cores; and MPI keeps no more than a header of a chunk that nobody receives
// yet, since each is longer than an eager message.
namespace slipway::detail {

class Rendezvous {
 public:
  static constexpr std::uint32_t slots = 16;
  static constexpr std::uint32_t push_tags = 16;
  static constexpr std::uint32_t largest_tag = slots + push_tags;

  // `limits`: by peer; both sides of a pair have the same.
  Rendezvous(MPI_Comm communicator, Outbox& outbox, std::vector<ChunkLimits> limits);

  // Any thread.
  void send(std::uint32_t to, LargeFrame frame);
  void accept(TransferId transfer, std::vector<MutableSegment> destinations);
  void refuse(TransferId transfer);
  // Streams, answers and returned frames that a `progress` would move.
  bool has_work() const { return work_.load(std::memory_order_relaxed) != 0; }
  // Pushes that `start_pushed` would start.
  bool has_unstarted() const { return unstarted_.load(std::memory_order_relaxed) != 0; }

  // With the turn. False: the bytes from the wire make no sense.
  [[nodiscard]] bool on_announce(std::uint32_t from, std::span<const std::byte> payload, FrameSink& sink);
  [[nodiscard]] bool on_clear(std::uint32_t from, std::span<const std::byte> payload);
  [[nodiscard]] bool on_refuse(std::uint32_t from, std::span<const std::byte> payload);
  int progress(FrameSink& sink);
  void start_pushed();
  // Ends all transfers from and to the peer; the sink gets its frames back.
  void drop_peer(std::uint32_t peer, FrameSink& sink);

 private:
  static bool is_push_tag(std::uint32_t tag) { return tag > slots && tag <= largest_tag; }
  struct Outgoing {
    std::uint64_t number = 0;
    std::uint32_t to = 0;
    LargeFrame frame;
    std::unique_ptr<ChunkStream> stream;
    std::uint32_t tag = 0;
    bool is_pushed() const { return is_push_tag(tag); }
  };
  struct Incoming {
    TransferId id = 0;
    std::uint32_t from = 0;
    std::uint64_t number = 0;  // the sender's
    std::vector<std::uint64_t> sizes;
    std::vector<MutableSegment> destinations;
    std::unique_ptr<ChunkStream> stream;
    std::uint32_t tag = 0;  // the slot, or the sender's choice
    bool refused = false;
    std::shared_ptr<std::vector<std::byte>> unwanted;  // where a pushed transfer ends that was refused
    bool is_pushed() const { return is_push_tag(tag); }
  };
  using OutgoingPointer = std::unique_ptr<Outgoing>;
  using IncomingPointer = std::unique_ptr<Incoming>;

  void add_work(int amount) { work_.fetch_add(static_cast<std::uint32_t>(amount), std::memory_order_relaxed); }
  IncomingPointer take_announced(TransferId transfer);
  OutgoingPointer take_outgoing(std::uint64_t number, std::uint32_t to);
  std::uint32_t take_push_tag(const Outgoing& transfer);  // with the lock; 0: it is not to be pushed
  void free_push_tag(const Outgoing& transfer);
  void start_sending(OutgoingPointer transfer);
  void answer(IncomingPointer transfer);
  void collect_answers();
  void start_waiting();
  void start_receiving(IncomingPointer transfer);
  static void receive_unwanted(Incoming& transfer);
  int progress_incoming(FrameSink& sink);
  int progress_outgoing(FrameSink& sink);
  int give_back(FrameSink& sink);
  std::vector<OutgoingPointer> forget_announced(std::uint32_t peer);
  void drop_incoming(std::uint32_t peer);
  bool advance(Incoming& transfer);
  bool advance(Outgoing& transfer);

  MPI_Comm communicator_;
  Outbox& outbox_;
  std::vector<ChunkLimits> limits_;
  std::atomic<std::uint32_t> work_{0};
  std::atomic<std::size_t> unstarted_{0};  // the size of pushed_

  // Any thread, with the lock.
  seam::SpinLock lock_;
  std::uint64_t next_number_ = 1;
  std::unordered_map<std::uint64_t, OutgoingPointer> announced_out_;  // waiting for "clear"
  std::vector<OutgoingPointer> pushed_;                               // announced, to be started
  std::vector<std::uint32_t> free_push_tags_;
  std::unordered_map<TransferId, IncomingPointer> announced_in_;  // waiting for an answer
  std::vector<IncomingPointer> answered_;
  std::vector<OutgoingPointer> returned_;

  // With the turn.
  TransferId next_transfer_ = 1;
  std::vector<OutgoingPointer> fresh_pushes_;
  std::vector<IncomingPointer> fresh_answers_;
  std::deque<IncomingPointer> waiting_;
  std::vector<IncomingPointer> receiving_;
  std::vector<OutgoingPointer> sending_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<bool> gone_;                                   // by rank; their transfers have been dropped
  std::vector<std::unique_ptr<ChunkStream>> stuck_streams_;  // of dead peers; MPI may hold them for ever
  std::vector<std::shared_ptr<void>> stuck_memory_;
};

}  // namespace slipway::detail
