// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "slipway/rpc/wire.hpp"

// Frames between transports. They travel in batches like all others and never reach the core.
namespace slipway::detail {

namespace own_frames {
inline constexpr auto announce = static_cast<wire::FrameKind>(64);  // AnnounceHeader, SegmentInfo each, the large frame
inline constexpr auto clear = static_cast<wire::FrameKind>(65);     // ClearBody: the receives are posted, send
inline constexpr auto refuse = static_cast<wire::FrameKind>(66);    // RefuseBody: nobody wants it
inline constexpr auto heartbeat = static_cast<wire::FrameKind>(67);  // HeartbeatBody
inline constexpr auto loss = static_cast<wire::FrameKind>(68);       // LossHeader, then the reason as text
}  // namespace own_frames

struct AnnounceHeader {
  std::uint64_t number = 0;  // the sender's
  std::uint32_t segments = 0;
  std::uint32_t frame_size = 0;
  std::uint32_t pushed_tag = 0;  // of chunks that are under way already; 0: they wait for "clear"
  std::uint32_t reserved = 0;
};

struct ClearBody {
  std::uint64_t number = 0;
  std::uint32_t tag = 0;  // of the chunks
  std::uint32_t reserved = 0;
};

struct RefuseBody {
  std::uint64_t number = 0;
};

struct HeartbeatBody {
  std::uint32_t traced = 0;  // a debugger holds the sender: its silence means nothing
};

struct LossHeader {
  std::uint32_t rank = 0;
};

template <class Body>
std::span<const std::byte> bytes_of(const Body& body) {
  return std::as_bytes(std::span(&body, 1));
}

}  // namespace slipway::detail
