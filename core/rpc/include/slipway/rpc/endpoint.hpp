// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slipway/rpc/activity.hpp"
#include "slipway/rpc/call_table.hpp"
#include "slipway/rpc/node_slot.hpp"
#include "slipway/rpc/runnable.hpp"
#include "slipway/rpc/transport.hpp"

namespace slipway {
class Log;
class Writer;
namespace last_words {
struct Rank;
}
}  // namespace slipway

namespace slipway::detail {

class EdgeFaults;
class Runnable;
class TaskSystem;
class WaitRegistry;
struct EndpointParts;
struct Incoming;
struct RequestParts;

struct EndpointSettings {
  std::uint32_t cpus = 1;
  std::uint32_t max_blocked = 4096;
  std::uint32_t window_calls = 4096;
  std::uint64_t window_bytes = std::uint64_t{64} << 20;
  std::uint32_t spin = 64;
  bool serialize_local = false;
  seam::Time stall_after = 30'000'000'000;
  const last_words::Rank* place = nullptr;  // for the last words of this rank's threads
  std::uint64_t program = 0;                // hash of the program's name: the root of activity ids
  EdgeFaults* edge_faults = nullptr;        // a test's
};

struct NodePlace {
  RankId rank;
  std::string label;
};

// What the runtime hears from its endpoint; on any thread, without the turn.
struct EndpointEvents {
  std::function<void(RankId from, std::string_view body)> on_control;
  std::function<void(RankId peer, const std::string& reason)> on_peer_lost;
  // An exception out of a post, or one that nobody looked at (fatal = false).
  std::function<void(NodeId node, const std::string& type, const std::string& text, bool fatal)> on_node_failure;
  std::function<void(const std::string& report)> on_stall;
  std::function<void(seam::Time now)> on_tick;
};

// One outgoing call, before it is encoded.
struct CallSetup {
  NodeId node;
  const MethodEntry* method = nullptr;
  seam::Time deadline = seam::never;
  std::uint8_t priority = 0;
  bool try_only = false;      // do not wait for room in the node's window
  bool caller_waits = false;  // and so sends it itself, by its first look for the reply
};

inline void describe_call(CallState& state, Endpoint& endpoint, const CallSetup& setup) {
  state.info.endpoint = &endpoint;
  state.info.method = setup.method;
  state.info.node = setup.node;
  state.info.deadline = setup.deadline;
}

// The calls of one rank: from handle to transport, from transport to handler, and back. Owns the rank's threads but for
// those that run user code of workers. Any thread of the rank may call it.
class Endpoint final : public FrameSink {
 public:
  Endpoint(Transport& transport, EndpointSettings settings, std::vector<NodePlace> nodes, Log& log,
           EndpointEvents events);
  ~Endpoint() override;

  // The rank that this thread works for. Throws UsageError when it works for none.
  static Endpoint& of_this_thread() { return current.endpoint ? *current.endpoint : only_one(); }

  void start();
  // Ends the rank's threads. Calls under way fail first, by fail_all_calls.
  void stop();

  RankId rank() const { return rank_; }
  std::uint32_t ranks() const { return transport_.size(); }
  const std::vector<HostId>& host_of_rank() const { return transport_.host_of_rank(); }
  // See Transport.
  std::shared_ptr<const std::any> make_communicator(const std::vector<RankId>& ranks, std::uint64_t name) {
    return transport_.make_communicator(ranks, name);
  }
  const std::string& label_of(NodeId node) const { return nodes_[node.index()].label; }
  RankId rank_of(NodeId node) const { return nodes_[node.index()].rank; }
  std::size_t node_count() const { return nodes_.size(); }
  NodeSlot* local(NodeId node) const { return slots_[node.index()].get(); }
  NodeSlot& add_local(NodeId node, const std::type_info& type, Admission admission);
  const EndpointSettings& settings() const { return settings_; }
  Log& log() const { return log_; }
  // What runs tasks on this rank; nullptr: nothing does. Set before the start.
  TaskSystem* tasks() const { return tasks_; }
  void set_tasks(TaskSystem* tasks) { tasks_ = tasks; }

  // Calls. `state` (one reference is taken over; nullptr: a post) gets the outcome.
  Admitted call_remote(const CallSetup& setup, CallState* state, Writer& arguments, std::shared_ptr<void> keep_alive);
  // `frame`: room for wire::request_heads, then the arguments.
  Admitted call_remote_raw(const CallSetup& setup, CallState* state, std::span<std::byte> frame);
  // The entry is taken over unless the answer is `full`.
  Admitted admit_local(const CallSetup& setup, NodeSlot& slot, class LocalCallBase* entry);
  // Sends what waits for company.
  void flush();
  void flush_if_unsent() {
    if (transport_.has_queued()) flush();
  }

  // Replies, from the thread that ran the handler.
  void reply(RankId to, std::uint64_t call_id, Writer& value, std::shared_ptr<void> keep_alive);
  // `frame`: room for a wire::FrameHeader, then the value; fits a small frame.
  void reply_raw(RankId to, std::uint64_t call_id, std::span<std::byte> frame);
  void reply_failure(RankId to, std::uint64_t call_id, const RemoteFailure& failure, HandlerRan ran);
  void post_consumed(NodeSlot& slot, RankId from, std::uint64_t bytes);
  // Tells all callers of posts what has been taken off, however little: so that calls_in_flight becomes 0.
  void report_all_consumed();
  void give_room(NodeId node, std::uint64_t room);
  void give_local_room(NodeId node);
  // The caller cancelled a request that waited here; said once.
  bool was_cancelled(RankId from, std::uint64_t call_id) {
    return cancelled_count_.load(std::memory_order_acquire) != 0 && forget_cancelled(from, call_id);
  }

  void send_control(RankId to, std::string_view body);

  // Waits. Throws Deadlock, TooManyBlocked or Stopped; false: the deadline passed.
  bool wait(CallState& state, seam::Time deadline);
  bool wait_for_condition(const std::string& what, NodeId node, seam::Time deadline, class Waiter& waiter,
                          const std::function<bool()>& condition);
  void send_probe_frame(RankId to, std::span<const std::byte> body);
  // For a coroutine that is suspended on a call: the wait without a thread. Returns its key.
  std::uint64_t begin_suspended_wait(Activity& activity, CallState& state);
  void end_suspended_wait(Activity& activity);
  // The call ends with Timeout, if it has no outcome yet.
  void time_out(CallState& state);
  void cancel(CallState& state);
  // For a call with a deadline; else nothing.
  void add_timer(CallState& state) {
    if (state.info.deadline != seam::never) [[unlikely]]
      start_timer(state);
  }

  // From here on, waits outside handlers throw Stopped.
  void end_waits(const std::string& reason);
  void fail_all_calls(const std::string& reason);
  // Requests of this rank that have not been answered or, for posts, taken off their mailbox.
  std::uint64_t calls_in_flight() const { return calls_.calls_under_way(); }
  std::uint32_t in_flight_to(NodeId node) const { return static_cast<std::uint32_t>(calls_.calls_under_way(node)); }
  std::string describe_waits(seam::Time older_than) const;

  void run_in_pool(Runnable* work);
  // Short work of the runtime, for which others wait, see Pool::push_beside.
  void run_beside(Runnable* work);
  // Whether other work waits for a thread of the pool. Any thread.
  bool pool_has_work() const;
  // Cores of tasks, see Pool.
  BusyCores set_cores(BusyCores cores);
  [[nodiscard]] bool take_cores(std::int32_t cores);
  void run_when_free(Runnable* work, std::int32_t cores);
  bool is_short_of_cores() const;
  void start_awaiting();
  void report_unobserved(const CallInfo& info, const std::exception_ptr& error);
  void node_failed(NodeId node, const std::exception_ptr& error);
  std::uint64_t unobserved_errors() const { return unobserved_.load(std::memory_order_relaxed); }

  // FrameSink.
  void on_frames(RankId from, std::span<const std::byte> frames) override;
  void on_large(RankId from, TransferId transfer, std::span<const std::byte> frame,
                std::span<const wire::SegmentInfo> segments) override;
  void on_large_received(TransferId transfer) override;
  void on_sent(RankId to, LargeFrame frame) override;
  void on_peer_lost(RankId peer, const std::string& reason) override;

  EndpointParts& parts() { return *parts_; }

 private:
  friend struct EndpointParts;
  void start_timer(CallState& state);
  bool run_inline(CallState& state);
  void report_consumed(NodeSlot& slot, RankId from);
  template <class Send>
  Admitted call_over_wire(const CallSetup& setup, CallState* state, std::uint64_t bytes, Send&& send);
  // A request or a reply of this rank to itself, as bytes (--slipway-serialize-local).
  void deliver_here(std::span<const std::byte> head, std::span<const std::byte> body);
  // yes or full; throws when the calls are closed.
  Admitted admit(const CallSetup& setup, std::uint64_t bytes, CallState* state);
  Admitted wait_for_room(const CallSetup& setup, std::uint64_t bytes, CallState* state);
  void complete(CallState* state, const wire::FrameHeader& header, std::span<const std::byte> body);
  void take_request(RankId from, const wire::FrameCursor& cursor);
  void flush_run(RankId from);
  void flush_replies();
  // Out of the table, with its reference; its room is free.
  CallState* take_call(std::uint64_t id);
  bool forget_cancelled(RankId from, std::uint64_t call_id);
  static Endpoint& only_one();
  void take_consumed(std::span<const std::byte> body);
  void defer_small(RankId from, const wire::FrameHeader& header, std::span<const std::byte> payload);
  bool hold_back(RankId from, const RequestParts& parts, std::span<const std::byte> frame);
  void take_cancel(RankId from, std::uint64_t call_id, std::span<const std::byte> body);
  void run_deferred();
  void prepare_transfer(TransferId transfer);
  std::vector<MutableSegment> destinations_of(Incoming& incoming);
  void refuse_transfer(TransferId transfer, const std::exception_ptr& error);
  std::unique_ptr<Incoming> take_incoming(TransferId transfer);
  void admit_large(TransferId transfer, const wire::FrameHeader& header);
  void release_held(std::unique_ptr<Incoming> incoming, NodeSlot* slot);
  void after_poll();
  void tick(seam::Time now);
  void fail_lost_calls(RankId peer, const std::string& reason);

  Transport& transport_;
  const std::size_t largest_frame_;  // that goes as a small one
  const RankId rank_;
  const EndpointSettings settings_;
  const std::vector<NodePlace> nodes_;
  Log& log_;
  EndpointEvents events_;
  TaskSystem* tasks_ = nullptr;
  std::vector<std::unique_ptr<NodeSlot>> slots_;
  CallTable calls_;
  std::atomic<std::uint64_t> unobserved_{0};
  std::atomic<std::uint32_t> cancelled_count_{0};
  std::unique_ptr<EndpointParts> parts_;
};

// A writer for one call or reply of this thread; cleared.
Writer& scratch_writer(bool arrays_apart);

// What this thread does for the rank; a thread that the user started gets an activity at its first use.
Activity& activity_of_this_thread(const Endpoint& endpoint);

RemoteFailure describe_exception(const std::exception_ptr& error);

}  // namespace slipway::detail
