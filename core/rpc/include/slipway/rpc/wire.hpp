// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

// The wire format, version 1. Everything between ranks is a sequence of frames, in the byte order of the machine
// (equal on all ranks, compared at start). Nothing is aligned.
//
//   frame    = FrameHeader, then `size` bytes
//   request  = FrameHeader{kind request or post}, RequestHeader, body
//   reply    = FrameHeader{kind reply}, body          value, or failure (flags say which)
//   control  = FrameHeader{kind control}, body        the runtime's own agreement, see runtime/control.hpp
//
// A body is the argument list or the result: raw bytes where the types allow it, else the archive of rpc/archive.hpp.
// Large arrays leave the body as segments (SegmentInfo each); how they travel is the transport's affair.
namespace slipway::wire {

inline constexpr std::uint32_t version = 1;

enum class FrameKind : std::uint8_t {
  request = 1,  // a call that wants a reply
  post = 2,     // a call that wants none
  reply = 3,
  consumed = 4,  // returns room in a node's window to the caller: body = ConsumedBody
  probe = 5,     // deadlock probe
  cancel = 6,    // the caller no longer wants the outcome of call `id`
  control = 7,
  // From here on: frames that transports make and eat themselves.
  transport_first = 64,
};

enum FrameFlags : std::uint8_t {
  flag_none = 0,
  flag_failure = 1,       // reply: body is a failure instead of a value
  flag_late_decode = 2,   // segment 0 is the body itself
  flag_has_segments = 4,  // the frame was announced with segments
};

// 16 bytes.
struct FrameHeader {
  FrameKind kind = FrameKind::control;
  std::uint8_t flags = 0;
  std::uint8_t priority = 0;
  std::uint8_t reserved = 0;
  std::uint32_t size = 0;  // bytes that follow
  std::uint64_t id = 0;    // the caller's number of the call
};

// 40 bytes.
struct RequestHeader {
  std::uint32_t node = 0;
  std::uint32_t method = 0;
  std::uint32_t call_index = 0;  // which call of that activity this is
  std::uint32_t reserved = 0;
  std::uint64_t activity = 0;  // who calls: the unit of order
  std::uint64_t chain = 0;     // the activity at the root of the nested calls
  std::int64_t time_left = 0;  // nanoseconds until the deadline when sent; 0: none
};

// What precedes the arguments of a request.
inline constexpr std::size_t request_heads = sizeof(FrameHeader) + sizeof(RequestHeader);

// What a segment's memory is, at the sender. 16 bytes.
enum class MemoryKind : std::uint8_t { host = 0, device = 1 };
struct SegmentInfo {
  std::uint64_t size = 0;  // bytes
  MemoryKind kind = MemoryKind::host;
  std::uint8_t reserved[3] = {};
  std::uint32_t device = 0;
};

static_assert(sizeof(FrameHeader) == 16 && std::is_trivially_copyable_v<FrameHeader>);
static_assert(sizeof(RequestHeader) == 40 && std::is_trivially_copyable_v<RequestHeader>);
static_assert(sizeof(SegmentInfo) == 16 && std::is_trivially_copyable_v<SegmentInfo>);

// Copies a header out of bytes; false when they are too few.
template <class Header>
[[nodiscard]] bool read(std::span<const std::byte> bytes, Header& header) {
  static_assert(std::is_trivially_copyable_v<Header>);
  if (bytes.size() < sizeof(Header)) return false;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  return true;
}

// Walks the frames of a batch. `next` is false at the end and at the first frame that is cut off; `intact` tells which.
class FrameCursor {
 public:
  explicit FrameCursor(std::span<const std::byte> frames) : rest_(frames) {}

  [[nodiscard]] bool next() {
    if (!read(rest_, header_)) return false;
    if (rest_.size() - sizeof(FrameHeader) < header_.size) return false;
    frame_ = rest_.first(sizeof(FrameHeader) + header_.size);
    rest_ = rest_.subspan(frame_.size());
    return true;
  }
  bool intact() const { return rest_.empty(); }
  const FrameHeader& header() const { return header_; }
  std::span<const std::byte> frame() const { return frame_; }                                 // with its header
  std::span<const std::byte> payload() const { return frame_.subspan(sizeof(FrameHeader)); }  // without

 private:
  std::span<const std::byte> rest_;
  std::span<const std::byte> frame_;
  FrameHeader header_;
};

}  // namespace slipway::wire
