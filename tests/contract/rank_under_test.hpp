// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/transport.hpp"

// One rank in a test of transports: sends frames whose bytes follow from their number, checks and keeps what arrives.
namespace slipway::test {

// The byte at `index` of what carries the number `id`.
inline std::byte pattern(std::uint64_t id, std::uint64_t index) {
  return static_cast<std::byte>((id * 131 + index * 7 + (index >> 8)) & 0xff);
}

inline std::vector<std::byte> patterned(std::uint64_t id, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = pattern(id, i);
  return bytes;
}

inline bool is_patterned(std::uint64_t id, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != pattern(id, i)) return false;
  }
  return true;
}

// A frame that arrived. Large ones have segments.
struct Arrived {
  wire::FrameKind kind = wire::FrameKind::control;
  std::uint64_t id = 0;
  std::size_t size = 0;
  bool large = false;
};

// A large frame that was announced to this rank.
struct Incoming {
  RankId from;
  std::uint64_t id = 0;
  std::vector<std::vector<std::byte>> memory;  // one piece a segment
  bool received = false;
};

class RankUnderTest : public FrameSink {
 public:
  enum class OnLarge : std::uint8_t { accept, refuse, hold };

  explicit RankUnderTest(Transport& transport)
      : transport_(transport), arrived_(transport.size()), replied_(transport.size(), false) {}

  std::uint32_t rank() const { return transport_.rank().value(); }
  std::uint32_t size() const { return transport_.size(); }
  Transport& transport() { return transport_; }
  std::vector<RankId> others() const {
    std::vector<RankId> all;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (i != rank()) all.emplace_back(i);
    }
    return all;
  }

  // Sending. --------------------------------------------------------------------------------------------------------
  void send(RankId to, FrameClass frame_class, std::uint64_t id, std::size_t body_size) {
    send_kind(to, kind_of(frame_class), frame_class, id, body_size);
  }

  // The returned pointer is the frame's `keep_alive`.
  std::weak_ptr<void> send_large(RankId to, FrameClass frame_class, std::uint64_t id,
                                 const std::vector<std::size_t>& segment_sizes) {
    LargeFrame large;
    large.frame_class = frame_class;
    large.frame = frame_bytes(kind_of(frame_class), id, 24);
    auto memory = std::make_shared<std::vector<std::vector<std::byte>>>();
    for (const std::size_t size : segment_sizes) memory->push_back(patterned(id + memory->size(), size));
    for (const auto& segment : *memory) {
      large.segments.push_back({segment.data(), {.size = segment.size()}});
    }
    large.keep_alive = memory;
    transport_.send_large(to, std::move(large));
    return memory;
  }

  // Receiving. ------------------------------------------------------------------------------------------------------
  int poll() {
    in_poll_ = true;
    const int events = transport_.poll(*this);
    in_poll_ = false;
    if (!lost.empty() && !losses_expected) throw std::runtime_error("lost a peer: " + lost.begin()->second);
    return events;
  }

  // Polls until `done()`; an error at the limit.
  template <class Done>
  void poll_until(const char* what, Done&& done) {
    const seam::Time deadline = seam::after(limit);
    while (!done()) {
      if (poll() == 0) seam::pause();
      if (seam::now() > deadline) throw std::runtime_error(std::string("waited too long for ") + what);
    }
  }

  // The same, asleep as long as no bell rings.
  template <class Done>
  void sleep_until(const char* what, Done&& done) {
    const seam::Time deadline = seam::after(limit);
    while (!done()) {
      const std::uint32_t ticket = transport_.arm_bell();
      if (poll() == 0 && !done()) {
        // What comes between the last look and the sleep must ring too: give it the time to come.
        seam::pause();
        if (!transport_.wait_bell(ticket, deadline))
          throw std::runtime_error(std::string("slept too long for ") + what);
      }
      transport_.disarm_bell();
      if (seam::now() > deadline) throw std::runtime_error(std::string("woke in vain for ") + what);
    }
  }

  // Returns when all ranks that are left have come here. What has been sent before has left.
  void meet() {
    poll_until("all frames to leave", [&] { return !transport_.has_unsent(); });
    for (const RankId peer : others()) {
      send_kind(peer, wire::FrameKind::control, FrameClass::control, meeting_mark + meetings_, 0);
    }
    ++meetings_;
    poll_until("the others to meet", [&] {
      const auto others_here = others();
      return std::all_of(others_here.begin(), others_here.end(),
                         [&](RankId peer) { return met_[peer] >= meetings_ || lost.contains(peer); });
    });
    poll_until("the last frame to leave", [&] { return !transport_.has_unsent(); });
  }

  void accept(TransferId transfer) {
    Incoming& incoming = incomings.at(transfer);
    std::vector<MutableSegment> destinations;
    for (auto& memory : incoming.memory) destinations.push_back({memory.data(), memory.size()});
    transport_.accept(transfer, std::move(destinations));
  }

  const std::vector<Arrived>& arrived(RankId from) const { return arrived_[from.index()]; }
  // Those of one kind.
  std::vector<std::uint64_t> ids(RankId from, wire::FrameKind kind) const {
    std::vector<std::uint64_t> found;
    for (const Arrived& frame : arrived(from)) {
      if (frame.kind == kind) found.push_back(frame.id);
    }
    return found;
  }
  bool has_reply(RankId from) const { return replied_.at(from.index()); }
  std::size_t count_received() const {
    return static_cast<std::size_t>(
        std::count_if(incomings.begin(), incomings.end(), [](const auto& entry) { return entry.second.received; }));
  }

  // FrameSink -------------------------------------------------------------------------------------------------------
  void on_frames(RankId from, std::span<const std::byte> frames) override {
    expect_in_poll(from);
    wire::FrameCursor cursor(frames);
    while (cursor.next()) keep(from, cursor.header(), cursor.payload(), false);
    EXPECT_TRUE(cursor.intact());
  }

  void on_large(RankId from, TransferId transfer, std::span<const std::byte> frame,
                std::span<const wire::SegmentInfo> segments) override {
    expect_in_poll(from);
    wire::FrameCursor cursor(frame);
    ASSERT_TRUE(cursor.next());
    EXPECT_EQ(cursor.frame().size(), frame.size());
    keep(from, cursor.header(), cursor.payload(), true);
    EXPECT_FALSE(incomings.contains(transfer));
    Incoming& incoming = incomings[transfer];
    incoming.from = from;
    incoming.id = cursor.header().id;
    for (const auto& segment : segments) incoming.memory.emplace_back(segment.size);
    if (on_large_do == OnLarge::accept) accept(transfer);
    if (on_large_do == OnLarge::refuse) transport_.refuse(transfer);
  }

  void on_large_received(TransferId transfer) override {
    EXPECT_TRUE(in_poll_);
    Incoming& incoming = incomings.at(transfer);
    EXPECT_FALSE(incoming.received);
    incoming.received = true;
    for (std::size_t i = 0; i < incoming.memory.size(); ++i) {
      EXPECT_TRUE(is_patterned(incoming.id + i, incoming.memory[i])) << "segment " << i << " of frame " << incoming.id;
    }
  }

  void on_sent(RankId to, LargeFrame frame) override {
    EXPECT_TRUE(in_poll_);
    sent.emplace_back(to, std::move(frame));
  }

  void on_peer_lost(RankId peer, const std::string& reason) override {
    EXPECT_TRUE(in_poll_);
    EXPECT_FALSE(lost.contains(peer)) << "said twice";
    EXPECT_FALSE(reason.empty());
    lost[peer] = reason;
  }

  std::chrono::nanoseconds limit = std::chrono::seconds(20);
  OnLarge on_large_do = OnLarge::accept;
  bool losses_expected = false;
  std::map<TransferId, Incoming> incomings;
  std::vector<std::pair<RankId, LargeFrame>> sent;
  std::map<RankId, std::string> lost;

 private:
  static constexpr std::uint64_t meeting_mark = std::uint64_t{1} << 60;

  static wire::FrameKind kind_of(FrameClass frame_class) {
    switch (frame_class) {
      case FrameClass::request:
        return wire::FrameKind::request;
      case FrameClass::reply:
        return wire::FrameKind::reply;
      case FrameClass::control:
        break;
    }
    return wire::FrameKind::control;
  }

  static wire::FrameHeader header_of(wire::FrameKind kind, std::uint64_t id, std::size_t body_size) {
    wire::FrameHeader header;
    header.kind = kind;
    header.size = static_cast<std::uint32_t>(body_size);
    header.id = id;
    return header;
  }

  static std::vector<std::byte> frame_bytes(wire::FrameKind kind, std::uint64_t id, std::size_t body_size) {
    const auto header = header_of(kind, id, body_size);
    const auto head = std::as_bytes(std::span(&header, 1));
    std::vector<std::byte> bytes(head.begin(), head.end());
    const auto body = patterned(id, body_size);
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
  }

  void send_kind(RankId to, wire::FrameKind kind, FrameClass frame_class, std::uint64_t id, std::size_t body_size) {
    const auto header = header_of(kind, id, body_size);
    transport_.send(to, frame_class, std::as_bytes(std::span(&header, 1)), patterned(id, body_size));
  }

  void expect_in_poll(RankId from) {
    EXPECT_TRUE(in_poll_) << "delivered outside poll";
    EXPECT_LT(from.value(), size());
    EXPECT_FALSE(lost.contains(from)) << "delivered from a lost peer";
  }

  void keep(RankId from, const wire::FrameHeader& header, std::span<const std::byte> body, bool large) {
    EXPECT_TRUE(is_patterned(header.id, body)) << "frame " << header.id << " of " << body.size() << " bytes";
    if (header.kind == wire::FrameKind::control && header.id >= meeting_mark) {
      EXPECT_EQ(header.id - meeting_mark, met_[from]++);
      return;
    }
    if (header.kind == wire::FrameKind::reply) replied_[from.index()] = true;
    arrived_[from.index()].push_back({header.kind, header.id, body.size(), large});
  }

  Transport& transport_;
  std::atomic<bool> in_poll_{false};
  std::vector<std::vector<Arrived>> arrived_;
  std::vector<bool> replied_;
  std::map<RankId, std::uint64_t> met_;
  std::uint64_t meetings_ = 0;
};

}  // namespace slipway::test
