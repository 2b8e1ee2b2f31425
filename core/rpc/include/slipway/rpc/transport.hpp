// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/rpc/wire.hpp"

// What moves frames between ranks, as a contract. Two implementations: local/ (ranks are threads) and mpi_transport/.
//
// Threads. One thread at a time holds the rank's *turn* (kept by the progress engine in core, see rpc/src/progress.hpp);
// only its holder calls `poll` and `flush`. Everything else may be called from any thread at any time between construction and `close`.
//
// Order. Frames from one rank to another arrive in the order of their `send` calls, small and large alike: a large one
// takes its place when it is announced.
//
// Flow. `send` never blocks and never fails. Requests and posts (FrameClass::request) wait in the sender's queue when
// the receiver has not polled for long (credits per peer); replies and control frames never wait for credits.
namespace slipway {

// A large frame under way to this rank; unique among all that this rank ever receives.
using TransferId = std::uint64_t;

struct ConstSegment {
  const std::byte* data = nullptr;
  wire::SegmentInfo info;
};

struct MutableSegment {
  std::byte* data = nullptr;
  std::uint64_t size = 0;
};

enum class FrameClass : std::uint8_t { request, reply, control };

// A frame with segments, owned until all of it has left.
struct LargeFrame {
  FrameClass frame_class = FrameClass::request;
  std::vector<std::byte> frame = {};        // header and body, at most Transport::max_small_frame() bytes with 16 per segment
  std::vector<ConstSegment> segments = {};  // their bytes stay unchanged until the frame comes back by FrameSink::on_sent
  std::shared_ptr<void> keep_alive = {};    // whatever owns these bytes
};

// What a transport tells the core. Called inside `poll`, with the turn held: must be short and run no user code.
class FrameSink {
 public:
  virtual ~FrameSink() = default;

  // Whole frames from one rank, one or more, in order. The bytes are valid during the call.
  virtual void on_frames(RankId from, std::span<const std::byte> frames) = 0;

  // A large frame has been announced: header and body are here, the segments are still there. The sink answers, now or
  // later, with exactly one `accept` or `refuse` of this transfer. `frame` is valid during the call.
  virtual void on_large(RankId from, TransferId transfer, std::span<const std::byte> frame,
                        std::span<const wire::SegmentInfo> segments) = 0;

  // All segments of an accepted transfer have arrived.
  virtual void on_large_received(TransferId transfer) = 0;

  // The transport is done with a large frame: it has left, or its peer is gone. The sink takes it, to let go of the
  // bytes later, outside the turn.
  virtual void on_sent(RankId to, LargeFrame frame) = 0;

  // The peer is gone for good; said once. Nothing comes from it afterwards; frames to it are dropped.
  virtual void on_peer_lost(RankId peer, const std::string& reason) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual RankId rank() const = 0;
  virtual std::uint32_t size() const = 0;
  // The host of each rank, by who shares memory with whom, never by arithmetic; and the hosts' names.
  virtual const std::vector<HostId>& host_of_rank() const = 0;
  virtual const std::vector<std::string>& host_names() const = 0;
  // One line for logs: library, version, thread level.
  virtual std::string describe() const = 0;

  // The largest frame (header included) that `send` takes; larger ones go as a LargeFrame.
  virtual std::size_t max_small_frame() const = 0;

  // Before the first `poll` only: every rank gives a text and gets all, by rank. Throws Error at the deadline.
  virtual std::vector<std::string> all_gather(const std::string& mine, seam::Time deadline) = 0;

  // Queues one frame = `head` + `body`. True: it should go at once, so the caller should try to get the turn and flush;
  // false: it is better sent together with what follows, by whoever polls next.
  virtual bool send(RankId to, FrameClass frame_class, std::span<const std::byte> head,
                    std::span<const std::byte> body) = 0;
  virtual void send_large(RankId to, LargeFrame frame) = 0;

  // Where the segments of an announced frame go: as many and as large as announced; valid until on_large_received or
  // on_peer_lost.
  virtual void accept(TransferId transfer, std::vector<MutableSegment> destinations) = 0;
  virtual void refuse(TransferId transfer) = 0;

  // With the turn: sends what is queued, takes what has arrived. Returns the number of events, 0 when there was nothing.
  virtual int poll(FrameSink& sink) = 0;
  // With the turn: only sends what is queued; receives nothing and tells the sink nothing.
  virtual void flush() = 0;
  // Whether frames wait for company, so that a flush would send them. Any thread.
  virtual bool has_queued() const = 0;
  // Whether anything is queued that a poll would send or complete. Any thread.
  virtual bool has_unsent() const = 0;

  // The doorbell. A thread that wants to sleep until something arrives: ticket = arm_bell(); poll once more with the
  // turn; if nothing, wait_bell(ticket, deadline) without it. Peers on this host ring when they send; from other hosts
  // nothing rings, so wait_bell limits its own sleep. True: rung; false: time passed. Only one thread sleeps here.
  virtual std::uint32_t arm_bell() = 0;
  virtual bool wait_bell(std::uint32_t ticket, seam::Time deadline) = 0;
  virtual void disarm_bell() = 0;
  // Wakes this rank's own sleeper. Any thread.
  virtual void ring_own_bell() = 0;

  // For user code: a communicator of the transport's own library over these ranks, in this order, freed with the
  // pointer; nullptr: there is none. Waits for the others: each of them calls it, with the same arguments, on any
  // thread, for one communicator at a time.
  virtual std::shared_ptr<const std::any> make_communicator(const std::vector<RankId>& /*ranks*/,
                                                            std::uint64_t /*name*/) {
    return nullptr;
  }

  // The end. `close`: after the runtime's own agreement that nobody sends any more; all ranks call it, no poll follows.
  virtual void close() = 0;
  // This rank ends now, without its peers' agreement; they should notice at once. Safe in a signal handler.
  // `status` is what this process is about to exit with, 0 < status.
  virtual void announce_death(int status, const char* last_words) noexcept = 0;
};

}  // namespace slipway
