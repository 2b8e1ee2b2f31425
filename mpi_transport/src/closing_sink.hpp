// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/rpc/transport.hpp"

namespace slipway::detail {

// What still comes while the transport closes is for nobody: frames are dropped, large ones refused.
class ClosingSink final : public FrameSink {
 public:
  explicit ClosingSink(Transport& transport) : transport_(transport) {}

  void on_frames(RankId, std::span<const std::byte>) override {}
  void on_large(RankId, TransferId transfer, std::span<const std::byte>, std::span<const wire::SegmentInfo>) override {
    transport_.refuse(transfer);
  }
  void on_large_received(TransferId) override {}
  void on_sent(RankId, LargeFrame) override {}
  void on_peer_lost(RankId, const std::string&) override {}

 private:
  Transport& transport_;
};

}  // namespace slipway::detail
