// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// How a thread of user code waits: inline, by moving frames, or asleep with its wait on record.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "endpoint_parts.hpp"
#include "probe.hpp"
#include "slipway/rpc/async.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time look_up_every = 50'000'000;  // whether the wait is a deadlock, or is to end with Stopped
constexpr seam::Time probe_after = 200'000;       // since the wait began; most are over by then
constexpr seam::Time probe_again = 1'000'000'000;
constexpr seam::Time probe_coroutines_after = 20'000'000;  // most are resumed long before

std::string describe_activity(const Endpoint& endpoint, const Activity* activity) {
  if (activity && activity->is_task) return fmt::format("task {} (rank {})", activity->doing, endpoint.rank().value());
  if (!activity || !activity->node) return fmt::format("a thread of rank {}", endpoint.rank().value());
  return fmt::format("{} of node '{}' (rank {})", activity->doing ? activity->doing : "a handler",
                     activity->node->label, endpoint.rank().value());
}

std::string describe_awaited(const Endpoint& endpoint, const CallState& state) {
  if (auto text = state.describe(); !text.empty()) return text;
  if (!state.info.method) return "a future made from others";
  return fmt::format("call {} on node '{}' (rank {})", state.info.method->name, endpoint.label_of(state.info.node),
                     endpoint.rank_of(state.info.node).value());
}

// Takes the thread out of the pool's count while it waits, and adds the time to its activity.
class BlockedScope {
 public:
  BlockedScope(EndpointParts& parts, const Waiter& waiter)
      : parts_(parts), activity_(current.activity), waiter_(waiter) {
    if (!Pool::on_pool_thread()) return;
    if (!parts_.pool.begin_blocking()) {
      throw TooManyBlocked(fmt::format(
          "{} handlers wait already, each on a stack of its own, as many as --slipway-max-blocked allows. Wait less "
          "in handlers, make them coroutines, or raise the limit. Who waits:\n{}",
          parts_.pool.blocked(), parts_.waits.describe(seam::never, false)));
    }
    counted_ = true;
  }
  ~BlockedScope() {
    if (counted_) parts_.pool.end_blocking();
    if (activity_ && waiter_.began() != 0) {
      activity_->waited += static_cast<std::uint64_t>(seam::now() - waiter_.began());
    }
  }
  BlockedScope(const BlockedScope&) = delete;
  BlockedScope& operator=(const BlockedScope&) = delete;

  // For a handler that runs on this stack meanwhile, and may itself wait.
  template <class F>
  bool while_running(F&& run) const {
    if (counted_) parts_.pool.end_blocking();
    const bool result = run();
    if (counted_) parts_.pool.block_again();
    return result;
  }

 private:
  EndpointParts& parts_;
  Activity* const activity_;
  const Waiter& waiter_;
  bool counted_ = false;
};

// A wait that has become long: on record until the scope ends. It is a wait of every activity on this thread's stack:
// one that runs a handler inline waits for what that handler waits for.
class RecordedWait {
 public:
  RecordedWait(EndpointParts& parts, Wait wait) : parts_(parts), activity_(current.activity) {
    deadlocked_ = wait.deadlocked;
    next_probe_ = wait.since + probe_after;
    key_ = parts_.waits.add(std::move(wait));
    for (Activity* each = activity_; each; each = each->previous) {
      before_.push_back(each->waiting_on.exchange(key_, std::memory_order_acq_rel));
      if (each->is_constructor) parts_.constructor_waits_on.store(key_, std::memory_order_release);
    }
  }
  ~RecordedWait() {
    auto before = before_.begin();
    for (Activity* each = activity_; each; each = each->previous, ++before) {
      each->waiting_on.store(*before, std::memory_order_release);
      if (each->is_constructor) parts_.constructor_waits_on.store(*before, std::memory_order_release);
    }
    parts_.waits.remove(key_);
  }
  RecordedWait(const RecordedWait&) = delete;
  RecordedWait& operator=(const RecordedWait&) = delete;

  // Throws if this wait must end.
  void check(bool in_handler) {
    if (deadlocked_->load(std::memory_order_acquire)) throw deadlock_error(parts_.waits.cycle_of(key_));
    if (!in_handler && parts_.waits_ended.load(std::memory_order_acquire)) throw Stopped(parts_.waits_ended_reason);
  }
  // Sends a probe if it is time. Until when to wait before the next look.
  seam::Time probe(Endpoint& endpoint) {
    const seam::Time now = seam::now();
    if (now >= next_probe_) {
      next_probe_ = now + probe_again;
      send_probe(endpoint, key_);
    }
    return std::min(next_probe_, now + look_up_every);
  }

 private:
  EndpointParts& parts_;
  Activity* const activity_;
  std::shared_ptr<std::atomic<bool>> deadlocked_;
  std::uint64_t key_ = 0;
  std::vector<std::uint64_t> before_;  // of each activity
  seam::Time next_probe_ = 0;
};

bool runs_in_handler() { return current.activity && current.activity->holds_strand; }

}  // namespace

bool Endpoint::wait(CallState& state, seam::Time deadline) {
  if (state.done()) return true;
  while (const StateRef<> part = state.part_to_wait_for()) {
    if (!wait(*part, deadline)) return state.done();
  }
  const bool may_run = deadline == seam::never || deadline == state.info.deadline;  // else a handler could overrun it
  if (may_run && run_inline(state)) return true;
  Waiter waiter;
  const BlockedScope blocked(*parts_, waiter);
  if (parts_->progress.wait_briefly(state, waiter, deadline)) return true;
  if (deadline != seam::never && seam::now() >= deadline) return state.done();
  Wait wait;
  wait.who = describe_activity(*this, current.activity);
  wait.what = describe_awaited(*this, state);
  wait.node = state.info.node;
  wait.call_id = state.place.number();
  wait.local_state = state.place.number() == 0 ? &state : nullptr;
  wait.limited = deadline != seam::never || state.info.deadline != seam::never;
  wait.since = waiter.began() != 0 ? waiter.began() : seam::now();
  RecordedWait recorded(*parts_, std::move(wait));
  while (true) {
    const seam::Time next_look = recorded.probe(*this);
    if (parts_->progress.wait(state, waiter, std::min(deadline, next_look))) return true;
    if (may_run && blocked.while_running([&] { return run_inline(state); })) {
      return true;
    }
    if (seam::now() >= deadline) return state.done();
    recorded.check(runs_in_handler());
  }
}

// What has not started, and may start now: a call inside the rank that is next on its node, a task. This thread runs it
// itself.
bool Endpoint::run_inline(CallState& state) {
  if (state.run_here()) return state.done();
  Entry* const entry = state.place.entry();
  if (!entry) return false;
  NodeSlot* const slot = local(state.info.node);
  if (!slot || slot->admission.own_thread || !slot->mailbox.take_if_next(entry, &state)) return false;
  const Entry::Step step = entry->run(*slot);
  if (step == Entry::Step::suspended) settle_suspended();
  if (step == Entry::Step::finished) slot->strand_returned();
  return state.done();
}

bool Endpoint::wait_for_condition(const std::string& what, NodeId node, seam::Time deadline, Waiter& waiter,
                                  const std::function<bool()>& condition) {
  if (condition()) return true;
  const BlockedScope blocked(*parts_, waiter);
  Wait wait;
  wait.who = describe_activity(*this, current.activity);
  wait.what = node ? fmt::format("{} node '{}' (rank {})", what, label_of(node), rank_of(node).value()) : what;
  wait.node = node;
  wait.limited = deadline != seam::never;
  wait.since = seam::now();
  RecordedWait recorded(*parts_, std::move(wait));
  while (true) {
    const seam::Time next_look = recorded.probe(*this);
    if (parts_->progress.wait_until(waiter, std::min(deadline, next_look), condition)) return true;
    if (seam::now() >= deadline) return condition();
    recorded.check(runs_in_handler());
  }
}

std::uint64_t Endpoint::begin_suspended_wait(Activity& activity, CallState& state) {
  Wait wait;
  wait.who = describe_activity(*this, &activity);
  wait.what = describe_awaited(*this, state);
  wait.node = state.info.node;
  wait.call_id = state.place.number();
  wait.local_state = state.place.number() == 0 ? &state : nullptr;
  wait.limited = state.info.deadline != seam::never;
  wait.since = seam::now();
  wait.suspended = &state;
  if (!wait.limited) wait.next_probe = wait.since + probe_coroutines_after;
  const std::uint64_t key = parts_->waits.add(std::move(wait));
  activity.waiting_on.store(key, std::memory_order_release);
  return key;
}

void Endpoint::end_suspended_wait(Activity& activity) {
  if (const std::uint64_t key = activity.waiting_on.exchange(0, std::memory_order_acq_rel)) parts_->waits.remove(key);
}

void Endpoint::end_waits(const std::string& reason) {
  if (parts_->waits_ended.load(std::memory_order_relaxed)) return;  // waits may be reading the first reason
  parts_->waits_ended_reason = reason;
  parts_->waits_ended.store(true, std::memory_order_release);
}

std::string Endpoint::describe_waits(seam::Time older_than) const {
  return parts_->waits.describe(seam::now() - older_than, false);
}

void Endpoint::send_probe_frame(RankId to, std::span<const std::byte> body) {
  const wire::FrameHeader header{.kind = wire::FrameKind::probe, .size = static_cast<std::uint32_t>(body.size())};
  if (transport_.send(to, FrameClass::control, std::as_bytes(std::span(&header, 1)), body)) flush();
}

}  // namespace slipway::detail
