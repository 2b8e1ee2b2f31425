// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Runs requests: decodes, calls the handler, sends the outcome.
#include "slipway/rpc/execution.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "endpoint_parts.hpp"
#include "slipway/observe/last_words.hpp"
#include "slipway/rpc/async.hpp"

namespace slipway::detail {

namespace {

// What one run of handlers adds to its node's counters, the node's list of running activities, and the thread's last
// words.
class RunningScope {
 public:
  RunningScope(NodeSlot& node, Activity& activity)
      : node_(node),
        activity_(activity),
        began_(seam::now()),
        place_(node.endpoint.settings().place, node.label.c_str(), nullptr) {
    node.began(activity);
  }
  ~RunningScope() {
    node_.ended(activity_);
    counts_.busy = static_cast<std::uint64_t>(seam::now() - began_);
    if (counts_.busy > activity_.waited) counts_.busy -= activity_.waited;
    counts_.waiting = activity_.waited;
    node_.counters.add_shared(counts_);
  }
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;
  NodeCounts& counts() { return counts_; }

 private:
  NodeSlot& node_;
  Activity& activity_;
  const seam::Time began_;
  const last_words::At place_;
  NodeCounts counts_;
};

Timeout expired_request(const MethodEntry& method, const NodeSlot& node) {
  return {fmt::format("the time of call {} on node '{}' was over before its turn came, and it was not started",
                      method.name, node.label),
          HandlerRan::no};
}

// What other threads read once the activity is on its node's list, and so does not change from then on.
void place_activity(Activity& activity, NodeSlot& node, RankId caller) {
  activity.node = &node;
  activity.caller = caller;
  activity.holds_strand = true;
}

void begin_activity(Activity& activity, std::uint64_t caller, std::uint32_t index, std::uint64_t chain) {
  activity.id = child_id(caller, index);
  activity.chain = chain;
  activity.next_call = 0;
}

}  // namespace

void ReplyTo::fail(const std::exception_ptr& error, HandlerRan ran) {
  RemoteFailure failure = describe_exception(error);
  failure.node = node->label;
  failure.method = method ? method->name : "?";
  failure.rank = endpoint->rank().value();
  if (CallState* const mine = std::exchange(state, nullptr)) {
    if (mine->claim()) mine->fail(std::make_exception_ptr(RemoteError(std::move(failure), ran)));
    mine->release();
  } else if (call_id != 0) {
    endpoint->reply_failure(rank, call_id, failure, ran);
  } else if (ran != HandlerRan::no) {
    endpoint->node_failed(node->id, error);
  }
}

void ReplyTo::done_without_value() {
  if (CallState* const mine = std::exchange(state, nullptr)) {
    if (mine->claim()) mine->finish();
    mine->release();
  } else if (call_id != 0) {
    endpoint->reply(rank, call_id, scratch_writer(false), nullptr);
  }
}

void run_invocation(Invocation& invocation, PreparedArguments* prepared) {
  try {
    if (prepared) {
      prepared->invoke(invocation);
    } else {
      invocation.reply.method->invoke(invocation);
    }
  } catch (...) {
    invocation.reply.fail(std::current_exception(), invocation.started ? HandlerRan::yes : HandlerRan::no);
  }
}

RemoteRun* RemoteRun::make(RankId from, std::span<const std::byte> frames, seam::Time received) {
  void* const memory = recycled::take(sizeof(RemoteRun) + frames.size());
  auto* const run = new (memory) RemoteRun(from, frames.size(), received);
  std::memcpy(run->bytes(), frames.data(), frames.size());
  return run;
}

void RemoteRun::dispose() {
  const std::size_t size = sizeof(RemoteRun) + size_;
  this->~RemoteRun();
  recycled::give(this, size);
}

namespace {

// Of a request that is not started: what its arguments bring along, as weight of refs, is not lost.
void discard_arguments(const MethodEntry& method, std::span<const std::byte> body) {
  if (!method.prepare) return;
  try {
    Reader reader(body);
    static_cast<void>(method.prepare(reader));
  } catch (...) {  // damaged: there is nothing to discard
  }
}

// One request of a RemoteRun or a LargeRequest. True: a coroutine took over.
bool run_request(NodeSlot& node, RankId from, const RequestParts& parts, seam::Time received, Activity& activity,
                 PreparedArguments* prepared, std::vector<Bytes>* late) {
  Endpoint& endpoint = node.endpoint;
  const auto& table = method_table_unlocked();
  begin_activity(activity, parts.request.activity, parts.request.call_index, parts.request.chain);
  activity.call_id.store(parts.header.id, std::memory_order_relaxed);
  activity.deadline = parts.request.time_left > 0 ? received + parts.request.time_left : seam::never;
  const bool known = parts.request.method < table.size();
  Invocation invocation{.body = late && !late->empty() ? late->front().span() : parts.body,
                        .object = node.object,
                        .reply = {.endpoint = &endpoint,
                                  .node = &node,
                                  .method = known ? table[parts.request.method] : nullptr,
                                  .rank = from,
                                  .call_id = parts.header.id},
                        .activity = &activity};
  if (!known) {
    invocation.reply.fail(
        std::make_exception_ptr(WireError("the method is not in the table (ranks run different programs)")),
        HandlerRan::no);
    return false;
  }
  last_words::place.method = invocation.reply.method->name.c_str();
  if (activity.deadline != seam::never && seam::now() >= activity.deadline) {
    if (!prepared) discard_arguments(*invocation.reply.method, invocation.body);
    invocation.reply.fail(std::make_exception_ptr(expired_request(*invocation.reply.method, node)), HandlerRan::no);
    return false;
  }
  if (endpoint.was_cancelled(from, parts.header.id)) {
    if (!prepared) discard_arguments(*invocation.reply.method, invocation.body);
    invocation.reply.fail(
        std::make_exception_ptr(Cancelled("the caller cancelled the request before it started", HandlerRan::no)),
        HandlerRan::no);
    return false;
  }
  run_invocation(invocation, prepared);
  return invocation.suspended;
}

void drop_request(Endpoint& endpoint, RankId from, const RequestParts& parts, const std::string& label,
                  const char* reason) {
  if (parts.header.id == 0) return;
  const auto& table = method_table();
  endpoint.reply_failure(
      from, parts.header.id,
      {"slipway::Stopped", reason, label, parts.request.method < table.size() ? table[parts.request.method]->name : "?",
       endpoint.rank().value()},
      HandlerRan::no);
}

}  // namespace

Entry::Step RemoteRun::run(NodeSlot& node) {
  Activity activity;
  place_activity(activity, node, from_);
  activity.batch = this;
  const ActivityScope scope(node.endpoint, activity);
  bool suspended = false;
  {
    RunningScope running(node, activity);
    wire::FrameCursor cursor(rest());
    while (!suspended && !node.closed_reason.load(std::memory_order_relaxed) && cursor.next()) {
      at_.store(at_.load(std::memory_order_relaxed) + cursor.frame().size(), std::memory_order_release);
      RequestParts parts;
      if (!split_request(cursor.frame(), parts)) continue;
      ++running.counts().calls;
      running.counts().bytes_in += cursor.frame().size();
      if (parts.header.id == 0) node.endpoint.post_consumed(node, from_, cursor.frame().size());
      suspended = run_request(node, from_, parts, received_, activity, nullptr, nullptr) && !node.admission.interleave;
    }
    node.endpoint.flush_if_unsent();  // nobody else may be about to poll
  }
  if (const char* const reason = node.closed_reason.load(std::memory_order_acquire)) {
    drop(reason);
  } else if (suspended && at_ < size_) {
    node.mailbox.push_front(this);
    node.drop_if_closed();
  } else {
    dispose();
  }
  return suspended ? Step::suspended : Step::finished;
}

void RemoteRun::drop(const char* reason) {
  wire::FrameCursor cursor(rest());
  Endpoint& endpoint = Endpoint::of_this_thread();
  while (cursor.next()) {
    RequestParts parts;
    if (split_request(cursor.frame(), parts)) {
      drop_request(endpoint, from_, parts, endpoint.label_of(NodeId(parts.request.node)), reason);
    }
  }
  dispose();
}

bool RemoteRun::holds(RankId from, std::uint64_t call_id) const {
  if (from != from_) return false;
  wire::FrameCursor cursor(rest());
  while (cursor.next()) {
    if (cursor.header().id == call_id) return true;
  }
  return false;
}

Entry::Step LargeRequest::run(NodeSlot& node) {
  Activity activity;
  place_activity(activity, node, incoming_->from);
  const ActivityScope scope(node.endpoint, activity);
  RequestParts parts;
  (void)split_request(incoming_->frame, parts);
  bool suspended = false;
  {
    RunningScope running(node, activity);
    ++running.counts().calls;
    std::uint64_t bytes = incoming_->frame.size();
    for (const auto& segment : incoming_->segments) bytes += segment.size;
    running.counts().bytes_in += bytes;
    if (parts.header.id == 0) node.endpoint.post_consumed(node, incoming_->from, bytes);
    suspended =
        run_request(node, incoming_->from, parts, received_, activity, incoming_->prepared.get(), &incoming_->bytes) &&
        !node.admission.interleave;
  }
  delete this;
  return suspended ? Step::suspended : Step::finished;
}

void LargeRequest::drop(const char* reason) {
  RequestParts parts;
  Endpoint& endpoint = Endpoint::of_this_thread();
  if (split_request(incoming_->frame, parts)) {
    drop_request(endpoint, incoming_->from, parts, endpoint.label_of(NodeId(parts.request.node)), reason);
  }
  delete this;
}

bool LargeRequest::holds(RankId from, std::uint64_t call_id) const {
  RequestParts parts;
  return from == incoming_->from && split_request(incoming_->frame, parts) && parts.header.id == call_id;
}

LocalCallBase::LocalCallBase(const CallSetup& setup, CallState* state) : setup_(setup), state_(state) {
  if (current.activity) {
    caller_ = current.activity->id;
    chain_ = current.activity->chain;
  }
  if (!state) return;
  describe_call(*state, Endpoint::of_this_thread(), setup);
}

void LocalCallBase::take_index() {
  if (current.activity) call_index_ = current.activity->next_call++;
}

LocalCallBase::~LocalCallBase() {
  if (state_) state_->release();
}

Entry::Step LocalCallBase::run(NodeSlot& node) {
  Activity activity;
  const ActivityScope scope(node.endpoint, activity);
  place_activity(activity, node, node.endpoint.rank());
  begin_activity(activity, caller_, call_index_, chain_);
  activity.local_state = state_;
  activity.deadline = setup_.deadline;
  Invocation invocation{.object = node.object,
                        .reply = {.endpoint = &node.endpoint,
                                  .node = &node,
                                  .method = setup_.method,
                                  .state = std::exchange(state_, nullptr),
                                  .rank = node.endpoint.rank()},
                        .activity = &activity};
  if (invocation.reply.state) invocation.reply.state->place.set_entry(nullptr);
  {
    RunningScope running(node, activity);
    ++running.counts().calls;
    CallState* const state = invocation.reply.state;
    const bool expired = setup_.deadline != seam::never && seam::now() >= setup_.deadline;
    if (expired && state && state->claim()) state->fail(std::make_exception_ptr(expired_request(*setup_.method, node)));
    if (expired || (state && state->done())) {  // or cancelled before it began
      if (state) state->release();
    } else {
      last_words::place.method = setup_.method->name.c_str();
      try {
        invoke(invocation);
      } catch (...) {
        invocation.reply.fail(std::current_exception(), HandlerRan::yes);
      }
    }
  }
  if (takes_room_) node.endpoint.give_local_room(node.id);
  const bool suspended = invocation.suspended && !node.admission.interleave;
  delete this;
  return suspended ? Step::suspended : Step::finished;
}

void LocalCallBase::drop(const char* reason) {
  if (state_ && state_->claim()) state_->fail(std::make_exception_ptr(Stopped(reason)));
  delete this;
}

bool LocalCallBase::holds(RankId, std::uint64_t) const { return false; }

}  // namespace slipway::detail
