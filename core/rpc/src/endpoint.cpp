// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/endpoint.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "endpoint_parts.hpp"
#include "probe.hpp"
#include "slipway/observe/log.hpp"

namespace slipway::detail {

namespace {

// In a process with one rank every thread works for it, whoever started the thread.
std::atomic<Endpoint*> only_endpoint{nullptr};
std::atomic<int> endpoint_count{0};

}  // namespace

EndpointParts::EndpointParts(Endpoint& endpoint, Transport& transport, const EndpointSettings& settings)
    : progress(transport, endpoint, settings.spin,
               {.after_poll = [&endpoint] { endpoint.after_poll(); },
                .work_for_leader = [this] { return pool.leader_has_work(); },
                .tick = [&endpoint](seam::Time now) { endpoint.tick(now); },
                .next_timer = [this] { return timers.next(); }}),
      pool({.cpus = settings.cpus,
            .max_blocked = settings.max_blocked,
            .name = "pool" + std::to_string(transport.rank().value()),
            .thread_begins = [](void* context) { current.endpoint = static_cast<Endpoint*>(context); },
            .context = &endpoint},
           progress),
      peer_lost(transport.size()),
      lost_reason(transport.size()) {}

Endpoint::Endpoint(Transport& transport, EndpointSettings settings, std::vector<NodePlace> nodes, Log& log,
                   EndpointEvents events)
    : transport_(transport),
      largest_frame_(transport.max_small_frame()),
      rank_(transport.rank()),
      settings_(settings),
      nodes_(std::move(nodes)),
      log_(log),
      events_(std::move(events)),
      slots_(nodes_.size()),
      calls_(nodes_.size(), settings_.window_calls, settings_.window_bytes),
      parts_(std::make_unique<EndpointParts>(*this, transport, settings)) {
  method_table();
  only_endpoint.store(endpoint_count.fetch_add(1) == 0 ? this : nullptr);
}

Endpoint::~Endpoint() {
  stop();
  only_endpoint.store(nullptr);
  endpoint_count.fetch_sub(1);
}

Endpoint& Endpoint::only_one() {
  if (Endpoint* const only = only_endpoint.load(std::memory_order_acquire)) return *only;
  throw UsageError(
      "a handle was used where no program runs (before slipway::launch, after it, or on a thread that the user started "
      "while several ranks share the process). Use handles in constructors, run() and handlers, or start the thread by "
      "Context::start_thread");
}

void Endpoint::start() {
  parts_->started = true;
  parts_->progress_thread = seam::Thread("progress" + std::to_string(rank_.value()), [this] {
    current.endpoint = this;
    parts_->progress.patrol();
  });
  parts_->pool.start();
}

void Endpoint::stop() {
  if (!parts_->started) return;
  parts_->started = false;
  parts_->progress.stop();
  parts_->pool.stop();
  parts_->progress_thread.join();
  for (const auto& slot : slots_) {
    if (slot) slot->abandon();  // refs went home while the threads ended
  }
}

NodeSlot& Endpoint::add_local(NodeId node, const std::type_info& type, Admission admission) {
  slots_[node.index()] = std::make_unique<NodeSlot>(*this, node, label_of(node), type, admission, transport_.size());
  return *slots_[node.index()];
}

void Endpoint::flush() { parts_->progress.flush(); }

void Endpoint::run_in_pool(Runnable* work) { parts_->pool.push(work); }
void Endpoint::run_beside(Runnable* work) { parts_->pool.push_beside(work); }
bool Endpoint::pool_has_work() const { return parts_->pool.has_work(); }

// Of other threads nobody counts the cores.
BusyCores Endpoint::set_cores(BusyCores cores) {
  return Pool::on_pool_thread() ? parts_->pool.set_cores(cores) : BusyCores{};
}
bool Endpoint::take_cores(std::int32_t cores) { return parts_->pool.take_cores(cores); }
void Endpoint::run_when_free(Runnable* work, std::int32_t cores) { parts_->pool.push_when_free(work, cores); }
void Endpoint::start_awaiting() { parts_->pool.start_awaiting(); }
bool Endpoint::is_short_of_cores() const { return parts_->pool.is_short_of_cores(); }

void Endpoint::send_control(RankId to, std::string_view body) {
  wire::FrameHeader header{.kind = wire::FrameKind::control, .size = static_cast<std::uint32_t>(body.size())};
  if (to == rank_) {
    events_.on_control(rank_, body);
    return;
  }
  const auto bytes = std::as_bytes(std::span(body.data(), body.size()));
  const auto head = std::as_bytes(std::span(&header, 1));
  if (sizeof header + body.size() <= transport_.max_small_frame()) {
    transport_.send(to, FrameClass::control, head, bytes);
  } else {
    header.size = 0;
    header.flags = wire::flag_late_decode | wire::flag_has_segments;
    auto kept = std::make_shared<std::string>(body);
    LargeFrame frame{.frame_class = FrameClass::control};
    frame.frame.assign(std::as_bytes(std::span(&header, 1)).begin(), std::as_bytes(std::span(&header, 1)).end());
    frame.segments.push_back({reinterpret_cast<const std::byte*>(kept->data()), {.size = kept->size()}});
    frame.keep_alive = std::move(kept);
    transport_.send_large(to, std::move(frame));
  }
  flush();
  parts_->progress.call_leader();
}

void Endpoint::time_out(CallState& state) {
  if (!state.claim()) return;
  const bool started_for_sure_not = state.place.entry() != nullptr;
  state.fail(std::make_exception_ptr(
      Timeout(fmt::format("call {} on node '{}' had no outcome in time",
                          state.info.method ? state.info.method->name : "", label_of(state.info.node)),
              started_for_sure_not ? HandlerRan::no : HandlerRan::maybe)));
}

void Endpoint::cancel(CallState& state) {
  const MethodEntry* const method = state.info.method;
  const NodeId called = state.info.node;
  const std::uint64_t number = state.place.number();
  if (!method || !state.claim()) return;
  state.fail(std::make_exception_ptr(
      Cancelled(fmt::format("call {} on node '{}' was cancelled", method->name, label_of(called)), HandlerRan::maybe)));
  if (number == 0) return;
  const std::uint32_t node = called.value();
  const wire::FrameHeader header{.kind = wire::FrameKind::cancel, .size = sizeof node, .id = number};
  if (transport_.send(rank_of(called), FrameClass::control, std::as_bytes(std::span(&header, 1)),
                      std::as_bytes(std::span(&node, 1)))) {
    flush();
  }
}

void Endpoint::start_timer(CallState& state) {
  auto local = state.place.number() == 0 ? StateRef<>::share(&state) : StateRef<>();
  if (parts_->timers.add(state.info.deadline, state.place.number(), std::move(local))) parts_->progress.call_leader();
}

void Endpoint::tick(seam::Time now) {
  if (parts_->timers.next() <= now) {
    parts_->timers.run_due(now, [this](std::uint64_t id, StateRef<>& local) {
      if (local) {
        time_out(*local);
      } else if (const auto state = calls_.find(id)) {
        time_out(*state);
      }
    });
  }
  if (parts_->waits.next_probe() <= now) {
    for (const std::uint64_t wait : parts_->waits.take_due_probes(now)) send_probe(*this, wait);
  }
  if (settings_.stall_after == 0) return;
  constexpr seam::Time checks_per_limit = 4;
  if (now < parts_->next_stall_check.load(std::memory_order_relaxed)) return;
  parts_->next_stall_check.store(now + settings_.stall_after / checks_per_limit + 1);
  if (parts_->waits.empty()) return;
  const std::string report = parts_->waits.describe(now - settings_.stall_after, true);
  if (!report.empty() && events_.on_stall) events_.on_stall(report);
}

CallState* Endpoint::take_call(std::uint64_t id) {
  CallState* const state = calls_.take(id);
  if (state) parts_->room_waiters.wake_all();
  return state;
}

void Endpoint::fail_lost_calls(RankId peer, const std::string& reason) {
  for (const std::uint64_t id : calls_.numbers()) {
    const auto state = calls_.find(id);
    if (!state || rank_of(state->info.node) != peer) continue;
    StateRef<> taken(take_call(id));
    if (!taken) continue;
    if (taken->claim()) {
      taken->fail(std::make_exception_ptr(
          PeerLost(fmt::format("rank {} was lost ({}) before it answered {} on node '{}'", peer.value(), reason,
                               taken->info.method->name, label_of(taken->info.node)),
                   HandlerRan::maybe, peer.value())));
    }
  }
}

void Endpoint::fail_all_calls(const std::string& reason) {
  parts_->calls_closed_reason = reason;
  calls_.close();
  parts_->room_waiters.wake_all();
  for (const std::uint64_t id : calls_.numbers()) {
    StateRef<> taken(take_call(id));
    if (taken && taken->claim()) taken->fail(std::make_exception_ptr(Stopped(reason)));
  }
}

void Endpoint::report_unobserved(const CallInfo& info, const std::exception_ptr& error) {
  if (!info.method) return;
  unobserved_.fetch_add(1, std::memory_order_relaxed);
  const RemoteFailure failure = describe_exception(error);
  const std::string where = info.node ? fmt::format(" on node '{}'", label_of(info.node)) : std::string();
  log_.warning(fmt::format("nobody looked at the failure of {}{}: {}: {}", info.method->name, where, failure.type,
                           failure.text));
}

void Endpoint::node_failed(NodeId node, const std::exception_ptr& error) {
  const RemoteFailure failure = describe_exception(error);
  if (events_.on_node_failure) events_.on_node_failure(node, failure.type, failure.text, true);
}

Writer& scratch_writer(bool arrays_apart) {
  thread_local Writer inline_only(Writer::never);
  thread_local Writer with_segments(array_segment_threshold);
  Writer& writer = arrays_apart ? with_segments : inline_only;
  writer.clear();
  return writer;
}

RemoteFailure describe_exception(const std::exception_ptr& error) {
  RemoteFailure failure;
  try {
    std::rethrow_exception(error);
  } catch (const RemoteError& remote) {
    failure = remote.failure();
    failure.text = remote.what();
    failure.type = "slipway::RemoteError";
    return failure;
  } catch (const std::exception& exception) {
    failure.text = exception.what();
  } catch (...) {
    failure.text = "an object that is no std::exception";
  }
  try {
    std::rethrow_exception(error);
  } catch (...) {
    const std::type_info* const thrown = abi::__cxa_current_exception_type();
    int status = 0;
    char* const name = abi::__cxa_demangle(thrown->name(), nullptr, nullptr, &status);
    failure.type = status == 0 && name ? name : "unknown";
    std::free(name);
  }
  return failure;
}

}  // namespace slipway::detail
