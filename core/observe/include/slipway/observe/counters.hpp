// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "slipway/base/ids.hpp"

// What each node did, counted where it happens at the cost of a few plain additions.
namespace slipway {

// One reading. Trivially copyable, so that ranks can send them; all times are nanoseconds.
struct NodeCounts {
  std::uint64_t calls = 0;    // handlers that ended, and run()
  std::uint64_t failed = 0;   // of these, those that threw
  std::uint64_t busy = 0;     // time in user code, without waiting
  std::uint64_t waiting = 0;  // time of its threads in get and other waits
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;

  NodeCounts& operator+=(const NodeCounts& other);
  friend bool operator==(const NodeCounts&, const NodeCounts&) = default;
};

// Counters of one node on a cache line of their own. Readable at any time from any thread; a reading is no snapshot of
// one moment, each number is right on its own.
class alignas(64) NodeCounters {
 public:
  // Several threads may add at once.
  void add_shared(const NodeCounts& more) {
    add(calls_, more.calls);
    add(failed_, more.failed);
    add(busy_, more.busy);
    add(waiting_, more.waiting);
    add(bytes_in_, more.bytes_in);
    add(bytes_out_, more.bytes_out);
  }
  // Only while no other thread adds, as on a serial node's strand: no locked instruction.
  void add_exclusive(const NodeCounts& more) {
    bump(calls_, more.calls);
    bump(failed_, more.failed);
    bump(busy_, more.busy);
    bump(waiting_, more.waiting);
    bump(bytes_in_, more.bytes_in);
    bump(bytes_out_, more.bytes_out);
  }

  NodeCounts read() const;

 private:
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t more) {
    if (more != 0) counter.fetch_add(more, std::memory_order_relaxed);
  }
  static void bump(std::atomic<std::uint64_t>& counter, std::uint64_t more) {
    counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> busy_{0};
  std::atomic<std::uint64_t> waiting_{0};
  std::atomic<std::uint64_t> bytes_in_{0};
  std::atomic<std::uint64_t> bytes_out_{0};
};

// One NodeCounters for each node of the program, at a fixed address.
class Counters {
 public:
  explicit Counters(std::size_t nodes) : nodes_(std::make_unique<NodeCounters[]>(nodes)), size_(nodes) {}

  std::size_t size() const { return size_; }
  NodeCounters& operator[](NodeId node) { return nodes_[node.index()]; }
  const NodeCounters& operator[](NodeId node) const { return nodes_[node.index()]; }
  NodeCounts total() const;

 private:
  std::unique_ptr<NodeCounters[]> nodes_;
  std::size_t size_;
};

}  // namespace slipway
