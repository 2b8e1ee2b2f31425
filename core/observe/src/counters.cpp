// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/counters.hpp"

#include <type_traits>

namespace slipway {

static_assert(std::is_trivially_copyable_v<NodeCounts>);
static_assert(sizeof(NodeCounters) == 64, "one cache line a node");

NodeCounts& NodeCounts::operator+=(const NodeCounts& other) {
  calls += other.calls;
  failed += other.failed;
  busy += other.busy;
  waiting += other.waiting;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  return *this;
}

NodeCounts NodeCounters::read() const {
  return {.calls = calls_.load(std::memory_order_relaxed),
          .failed = failed_.load(std::memory_order_relaxed),
          .busy = busy_.load(std::memory_order_relaxed),
          .waiting = waiting_.load(std::memory_order_relaxed),
          .bytes_in = bytes_in_.load(std::memory_order_relaxed),
          .bytes_out = bytes_out_.load(std::memory_order_relaxed)};
}

NodeCounts Counters::total() const {
  NodeCounts sum;
  for (std::size_t node = 0; node < size_; ++node) sum += nodes_[node].read();
  return sum;
}

}  // namespace slipway
