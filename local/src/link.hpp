// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "frame_queue.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/rpc/transport.hpp"
#include "slipway/rpc/wire.hpp"

namespace slipway::local {

// Frames that only the transport sees.
inline constexpr auto kind_padding = static_cast<wire::FrameKind>(64);     // the rest of the lap is empty
inline constexpr auto kind_large = static_cast<wire::FrameKind>(65);       // announces transfer `id`
inline constexpr auto kind_not_before = static_cast<wire::FrameKind>(66);  // the next frame arrives at time `id`

struct LinkLimits {
  std::size_t capacity = 0;      // bytes, a power of two
  std::size_t request_room = 0;  // of these, for requests
  std::size_t credits = 0;       // requests under way
};

// The way from one rank to another: a ring of bytes that the sender's threads fill under a lock, and that the one
// thread with the receiver's turn empties without it. What finds no room waits in queues at the sender's side.
//
// A frame lies in one piece. Positions count bytes since the start and never wrap.
class Link {
 public:
  // `starving_links`: counts the links of this sender where frames wait.
  Link(const LinkLimits& limits, std::atomic<int>& starving_links);

  // The sender's side, any thread. ---------------------------------------------------------------------------------
  enum class Outcome : std::uint8_t { arrived, waits, dropped };
  Outcome send(FrameClass frame_class, std::span<const std::byte> head, std::span<const std::byte> body);
  // As send, with a frame made by `make()` unless the link is closed. Inside the lock that `close` takes: what `make`
  // did has been done before `close` returns, or not at all.
  template <class Make>
  Outcome send_made(FrameClass frame_class, Make&& make) {
    const std::lock_guard guard(lock_);
    if (closed_) return Outcome::dropped;
    const wire::FrameHeader header = make();
    return send_locked(frame_class, std::as_bytes(std::span(&header, 1)), {});
  }
  // Lets waiting frames go as far as there is room. True when any went.
  bool flush();
  bool could_flush();
  bool starving() const { return starving_.load(std::memory_order_seq_cst); }
  // Drops what waits and all that is sent from now on.
  void close();
  void set_delay(seam::Time delay);

  // The receiver's side, with its turn. -----------------------------------------------------------------------------
  bool has_new() const { return tail_.load(std::memory_order_seq_cst) != position_; }
  // All that can be read in one piece from here on: whole frames, empty when there are none.
  std::span<const std::byte> readable();
  void skip(std::size_t bytes) { position_ += bytes; }
  // Gives the room of all that was skipped back. True: the sender waits for room and should be woken.
  bool give_back();

 private:
  Outcome send_locked(FrameClass frame_class, std::span<const std::byte> head, std::span<const std::byte> body);
  bool flush_locked();
  bool try_write(bool request, std::span<const std::byte> head, std::span<const std::byte> body);
  bool has_room(bool request, std::size_t need) const;
  std::size_t room_for(std::size_t frame) const { return frame + (delay_ > 0 ? sizeof(wire::FrameHeader) : 0); }
  void write(std::span<const std::byte> bytes);
  void write_header(wire::FrameKind kind, std::uint64_t id);
  void update_starving();

  const LinkLimits limits_;
  std::atomic<int>& starving_links_;

  // The sender's.
  alignas(64) seam::SpinLock lock_;
  bool closed_ = false;
  std::uint64_t written_ = 0;
  std::uint64_t head_seen_ = 0;
  std::uint64_t requests_ = 0;
  std::vector<std::uint64_t> request_ends_;  // where each of the last `credits` requests ended
  std::unique_ptr<std::byte[]> bytes_;       // made by the first send
  FrameQueue waiting_requests_;
  FrameQueue waiting_replies_;
  seam::Time delay_ = 0;

  alignas(64) std::atomic<std::uint64_t> tail_{0};  // written by the sender
  alignas(64) std::atomic<std::uint64_t> head_{0};  // written by the receiver
  alignas(64) std::atomic<bool> starving_{false};

  // The receiver's.
  alignas(64) std::uint64_t position_ = 0;
};

}  // namespace slipway::local
