// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "slipway/base/ids.hpp"
#include "slipway/rpc/transport.hpp"

// The in-process transport: ranks are groups of threads of one process. Frames cross as bytes all the same, and the
// bytes of segments are copied to their destinations, so that a program cannot tell it from the real thing.
namespace slipway {

namespace local {
class WorldState;
}

struct LocalWorldOptions {
  // Ranks are spread in blocks over this many declared hosts. Between hosts no bell rings.
  std::uint32_t fake_hosts = 1;
  // The largest small frame, header included.
  std::size_t max_small_frame = 16 * 1024;
  // Bytes under way from one rank to another; requests use at most half, the rest is kept for replies. A power of two,
  // at least four small frames.
  std::size_t link_bytes = 256 * 1024;
  // Requests under way from one rank to another.
  std::size_t credits = 1024;
  // How much of its large frames a rank copies in one poll.
  std::size_t chunk_bytes = 1024 * 1024;
};

// All ranks of one program. The transports keep what they share alive; the world may go before them.
class LocalWorld {
 public:
  explicit LocalWorld(std::uint32_t size, const LocalWorldOptions& options = {});
  ~LocalWorld();
  LocalWorld(const LocalWorld&) = delete;
  LocalWorld& operator=(const LocalWorld&) = delete;

  // The transport of one rank, once a rank. What this one does beyond the contract of Transport:
  // - `send` puts the frame where the receiver finds it and rings its bell, so it always returns false: no poll is due.
  //   Frames that wait for credits go with a later send, or with a poll that the receiver's ring of this rank's bell
  //   asks for.
  // - `accept` rings this rank's own bell: a poll is due.
  // - A rank may send to itself.
  // - A transport destroyed before `close` counts as lost.
  std::unique_ptr<Transport> transport(RankId rank);

  // Faults, for tests. Any thread.
  // Cuts the rank off: it and all others lose each other. Frames under way are delivered or not.
  void lose(RankId rank, const std::string& reason);
  // Frames sent from now on between these ranks arrive this much later. Their order stays.
  void delay(RankId from, RankId to, std::chrono::nanoseconds duration);

 private:
  std::shared_ptr<local::WorldState> state_;
};

}  // namespace slipway
