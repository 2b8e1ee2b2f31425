// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/local/local_transport.hpp"
#include "transport_of_rank.hpp"
#include "world_state.hpp"

namespace slipway {

LocalWorld::LocalWorld(std::uint32_t size, const LocalWorldOptions& options)
    : state_(std::make_shared<local::WorldState>(size, options)) {}

LocalWorld::~LocalWorld() = default;

std::unique_ptr<Transport> LocalWorld::transport(RankId rank) {
  state_->take(rank);
  return std::make_unique<local::TransportOfRank>(state_, rank);
}

void LocalWorld::lose(RankId rank, const std::string& reason) { state_->lose(rank, reason.c_str()); }

void LocalWorld::delay(RankId from, RankId to, std::chrono::nanoseconds duration) {
  state_->link(from, to).set_delay(duration.count());
}

}  // namespace slipway
