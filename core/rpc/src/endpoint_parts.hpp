// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pool.hpp"
#include "progress.hpp"
#include "slipway/rpc/bytes.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/rpc/execution.hpp"
#include "timers.hpp"
#include "waits.hpp"

namespace slipway::detail {

// A large frame on its way here.
struct Incoming {
  RankId from;
  std::vector<std::byte> frame;  // header and body
  std::vector<wire::SegmentInfo> segments;
  StateRef<> state;                             // a reply
  std::unique_ptr<Reader> reader;               // early decoding
  std::unique_ptr<PreparedArguments> prepared;  // a request, decoded early
  std::vector<Bytes> bytes;                     // late decoding: segment 0 is the body
  std::deque<Entry*> held;                      // what the same activity sent to the same node after it
  std::optional<TransferId> next_large;         // the next large one of the same activity to the same node
  bool waits_for_earlier = false;
  bool complete = false;
  bool claimed = false;  // a reply whose outcome is this one
};

// Requests of one activity to one node keep their order, also behind a large one that is still arriving.
struct HoldKey {
  std::uint32_t from;
  std::uint32_t node;
  std::uint64_t activity;
  auto operator<=>(const HoldKey&) const = default;
};

struct ControlMessage {
  RankId from;
  std::string body;
};

// What an Endpoint is made of, out of the public header.
struct EndpointParts {
  EndpointParts(Endpoint& endpoint, Transport& transport, const EndpointSettings& settings);

  // The node has the token of its strand.
  void run_after_poll(NodeSlot& node) {
    deferred_lock.lock();
    tokens.push_back(&node);
    deferred_lock.unlock();
    has_deferred.store(true, std::memory_order_release);
  }

  Timers timers;
  WaitRegistry waits;
  Progress progress;
  Pool pool;
  seam::Thread progress_thread;

  // Left by a poll for `after_poll`.
  std::atomic<bool> has_deferred{false};
  seam::SpinLock deferred_lock;  // guards the next six
  std::vector<TransferId> announced;
  std::vector<LargeFrame> sent;
  std::vector<ControlMessage> control;
  std::vector<std::pair<RankId, std::string>> lost;
  std::vector<std::function<void()>> probes;
  std::vector<NodeSlot*> tokens;  // of strands

  seam::SpinLock incoming_lock;  // guards the next two
  std::unordered_map<TransferId, std::unique_ptr<Incoming>> incoming;
  std::map<HoldKey, TransferId> holds;  // the latest large request of each
  std::atomic<std::uint32_t> hold_count{0};

  // The run of requests to one node, and the replies, that on_frames is gathering; with the turn.
  std::span<const std::byte> run;
  NodeId run_node;
  bool run_has_deadline = false;
  std::array<ArrivedReply, 64> replies;
  std::size_t reply_count = 0;

  seam::SpinLock cancelled_lock;  // guards cancelled
  std::set<std::pair<std::uint32_t, std::uint64_t>> cancelled;

  std::atomic<std::uint64_t> constructor_waits_on{0};  // key of the wait of the constructor that runs, if it waits
  std::atomic<bool> waits_ended{false};
  std::string waits_ended_reason;   // set before waits_ended
  WakeList room_waiters;            // callers that wait for room in some node's window
  std::string calls_closed_reason;  // set before the call table is closed
  std::vector<std::atomic<bool>> peer_lost;
  std::vector<std::string> lost_reason;  // by rank; set before peer_lost
  std::atomic<seam::Time> next_stall_check{0};
  bool started = false;
};

// Requests that came together to one node; header, then their frames.
class RemoteRun final : public Entry {
 public:
  // `received`: where the run's deadlines count from.
  static RemoteRun* make(RankId from, std::span<const std::byte> frames, seam::Time received);
  Step run(NodeSlot& node) override;
  void drop(const char* reason) override;
  void abandon() override { dispose(); }
  bool holds(RankId from, std::uint64_t call_id) const override;

 private:
  RemoteRun(RankId from, std::size_t size, seam::Time received) : from_(from), size_(size), received_(received) {}
  std::byte* bytes() { return reinterpret_cast<std::byte*>(this + 1); }
  std::span<const std::byte> rest() const {
    const std::size_t at = at_.load(std::memory_order_acquire);
    return {reinterpret_cast<const std::byte*>(this + 1) + at, size_ - at};
  }
  void dispose();

  const RankId from_;
  const std::size_t size_;
  std::atomic<std::size_t> at_{0};  // read by probes while it runs
  const seam::Time received_;
};

// A large request whose segments have all arrived.
class LargeRequest final : public Entry {
 public:
  explicit LargeRequest(std::unique_ptr<Incoming> incoming) : incoming_(std::move(incoming)), received_(seam::now()) {}
  Step run(NodeSlot& node) override;
  void drop(const char* reason) override;
  void abandon() override { delete this; }
  bool holds(RankId from, std::uint64_t call_id) const override;

 private:
  std::unique_ptr<Incoming> incoming_;
  const seam::Time received_;
};

struct RequestParts {
  wire::FrameHeader header;
  wire::RequestHeader request;
  std::span<const std::byte> body;
};
// False: too short for a request.
bool split_request(std::span<const std::byte> frame, RequestParts& parts);

}  // namespace slipway::detail
