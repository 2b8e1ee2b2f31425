// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// From the transport to mailboxes and futures. What is called by a poll only sorts; the rest waits for `after_poll`.
#include <fmt/format.h>

#include <cstring>
#include <mutex>

#include "endpoint_parts.hpp"
#include "probe.hpp"
#include "slipway/observe/log.hpp"

namespace slipway::detail {

namespace {

struct ConsumedBody {
  std::uint64_t room = 0;
  std::uint32_t node = 0;
  std::uint32_t reserved = 0;
};

std::exception_ptr decode_failure(std::span<const std::byte> body) {
  try {
    Reader reader(body);
    const auto ran = static_cast<HandlerRan>(std::min<std::uint64_t>(reader.size(), 2));
    RemoteFailure failure;
    failure.rank = static_cast<std::uint32_t>(reader.size());
    for (std::string* text : {&failure.type, &failure.text, &failure.node, &failure.method}) {
      const std::size_t size = reader.count();
      text->assign(reinterpret_cast<const char*>(reader.take(size)), size);
    }
    if (ran == HandlerRan::no) {  // what the other side made of the request itself, by its own type
      if (failure.type == "slipway::Timeout") return std::make_exception_ptr(Timeout(failure.text, ran));
      if (failure.type == "slipway::Cancelled") return std::make_exception_ptr(Cancelled(failure.text, ran));
      if (failure.type == "slipway::Stopped") return std::make_exception_ptr(Stopped(failure.text));
    }
    return std::make_exception_ptr(RemoteError(std::move(failure), ran));
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

bool split_request(std::span<const std::byte> frame, RequestParts& parts) {
  if (!wire::read(frame, parts.header)) return false;
  frame = frame.subspan(sizeof parts.header);
  if (!wire::read(frame, parts.request)) return false;
  parts.body = frame.subspan(sizeof parts.request);
  return true;
}

void Endpoint::on_frames(RankId from, std::span<const std::byte> frames) {
  parts_->run = {};
  parts_->reply_count = 0;  // there are some after an exception only
  wire::FrameCursor cursor(frames);
  while (cursor.next()) {
    const wire::FrameHeader& header = cursor.header();
    switch (header.kind) {
      case wire::FrameKind::request:
      case wire::FrameKind::post:
        take_request(from, cursor);
        break;
      case wire::FrameKind::reply:
        if (parts_->reply_count == parts_->replies.size()) flush_replies();
        parts_->replies[parts_->reply_count++] = {header, cursor.payload()};
        break;
      case wire::FrameKind::consumed:
        take_consumed(cursor.payload());
        break;
      case wire::FrameKind::cancel:
      case wire::FrameKind::probe:
      case wire::FrameKind::control:
        defer_small(from, header, cursor.payload());
        break;
      default:
        log_.error(fmt::format("rank {} sent a frame of unknown kind {}, which is dropped", from.value(),
                               static_cast<int>(header.kind)));
    }
  }
  flush_run(from);
  flush_replies();
  if (!cursor.intact()) log_.error(fmt::format("rank {} sent a message that is cut off", from.value()));
}

void Endpoint::defer_small(RankId from, const wire::FrameHeader& header, std::span<const std::byte> payload) {
  const std::lock_guard guard(parts_->deferred_lock);
  if (header.kind == wire::FrameKind::control) {
    parts_->control.push_back({from, std::string(reinterpret_cast<const char*>(payload.data()), payload.size())});
  } else {
    std::vector<std::byte> bytes(payload.begin(), payload.end());
    parts_->probes.push_back([this, from, header, bytes = std::move(bytes)] {
      if (header.kind == wire::FrameKind::probe) {
        take_probe(*this, bytes);
      } else {
        take_cancel(from, header.id, bytes);
      }
    });
  }
  parts_->has_deferred.store(true, std::memory_order_release);
}

// Consecutive requests to one serial node become one mailbox entry.
void Endpoint::take_request(RankId from, const wire::FrameCursor& cursor) {
  RequestParts parts;
  if (!split_request(cursor.frame(), parts) || parts.request.node >= slots_.size() || !slots_[parts.request.node]) {
    log_.error(fmt::format("rank {} sent a request for a node that is not here", from.value()));
    if (cursor.header().id != 0) {
      reply_failure(from, cursor.header().id,
                    {"slipway::WireError", "the node is not on this rank (ranks disagree on the placement)", "?", "?",
                     rank_.value()},
                    HandlerRan::no);
    }
    return;
  }
  const NodeId node(parts.request.node);
  if (parts_->hold_count.load(std::memory_order_relaxed) > 0) [[unlikely]] {
    if (hold_back(from, parts, cursor.frame())) return;
  }
  const bool serial = slots_[node.index()]->admission.concurrency <= 1;
  if (serial && !parts_->run.empty() && parts_->run_node == node &&
      parts_->run.data() + parts_->run.size() == cursor.frame().data()) {
    parts_->run = {parts_->run.data(), parts_->run.size() + cursor.frame().size()};
    parts_->run_has_deadline |= parts.request.time_left > 0;
    return;
  }
  flush_run(from);
  parts_->run = cursor.frame();
  parts_->run_node = node;
  parts_->run_has_deadline = parts.request.time_left > 0;
}

void Endpoint::flush_run(RankId from) {
  if (parts_->run.empty()) return;
  const seam::Time received = parts_->run_has_deadline ? seam::now() : 0;  // the clock is not for nothing
  slots_[parts_->run_node.index()]->admit_quietly(RemoteRun::make(from, parts_->run, received));
  parts_->run = {};
}

bool Endpoint::hold_back(RankId from, const RequestParts& parts, std::span<const std::byte> frame) {
  const std::lock_guard guard(parts_->incoming_lock);
  const auto hold = parts_->holds.find({from.value(), parts.request.node, parts.request.activity});
  if (hold == parts_->holds.end()) return false;
  flush_run(from);
  parts_->incoming[hold->second]->held.push_back(RemoteRun::make(from, frame, seam::now()));
  return true;
}

void Endpoint::flush_replies() {
  const std::span<ArrivedReply> replies = std::span(parts_->replies).first(std::exchange(parts_->reply_count, 0));
  if (replies.empty()) return;
  calls_.take_all(replies);
  parts_->room_waiters.wake_all();
  for (const ArrivedReply& reply : replies) {
    if (reply.state) complete(reply.state, reply.header, reply.body);  // else failed with its rank, or it came twice
  }
}

// Whoever took the call out of the table, and only he, writes its value.
void Endpoint::complete(CallState* state, const wire::FrameHeader& header, std::span<const std::byte> body) {
  std::exception_ptr failure;
  if (header.flags & wire::flag_failure) {
    failure = decode_failure(body);
  } else {
    try {
      state->take_body(body);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (!failure) [[likely]]
    return state->finish_unclaimed_and_release();
  const StateRef<> mine(state);
  if (state->claim()) state->fail(std::move(failure));
}

void Endpoint::take_consumed(std::span<const std::byte> body) {
  ConsumedBody consumed;
  if (!wire::read(body, consumed) || consumed.node >= nodes_.size()) return;
  give_room(NodeId(consumed.node), consumed.room);
}

void Endpoint::take_cancel(RankId from, std::uint64_t call_id, std::span<const std::byte> body) {
  std::uint32_t node = 0;
  if (!wire::read(body, node) || node >= slots_.size() || !slots_[node]) return;
  bool waits = slots_[node]->mailbox.holds(from, call_id);
  slots_[node]->for_each_running(
      [&](Activity& activity) { waits = waits || (activity.batch && activity.batch->holds(from, call_id)); });
  if (!waits) return;
  const std::lock_guard guard(parts_->cancelled_lock);
  parts_->cancelled.emplace(from.value(), call_id);
  cancelled_count_.store(static_cast<std::uint32_t>(parts_->cancelled.size()), std::memory_order_release);
}

bool Endpoint::forget_cancelled(RankId from, std::uint64_t call_id) {
  const std::lock_guard guard(parts_->cancelled_lock);
  const bool found = parts_->cancelled.erase({from.value(), call_id}) > 0;
  cancelled_count_.store(static_cast<std::uint32_t>(parts_->cancelled.size()), std::memory_order_release);
  return found;
}

void Endpoint::on_large(RankId from, TransferId transfer, std::span<const std::byte> frame,
                        std::span<const wire::SegmentInfo> segments) {
  auto incoming = std::make_unique<Incoming>();
  incoming->from = from;
  incoming->frame.assign(frame.begin(), frame.end());
  incoming->segments.assign(segments.begin(), segments.end());
  RequestParts parts;
  wire::FrameHeader header;
  const bool request = wire::read(frame, header) && header.kind != wire::FrameKind::reply &&
                       header.kind != wire::FrameKind::control && split_request(frame, parts);
  {
    const std::lock_guard guard(parts_->incoming_lock);
    if (request) {
      const HoldKey key{from.value(), parts.request.node, parts.request.activity};
      const auto before = parts_->holds.find(key);
      incoming->waits_for_earlier = before != parts_->holds.end();
      if (incoming->waits_for_earlier) parts_->incoming[before->second]->next_large = transfer;
      parts_->holds[key] = transfer;
      parts_->hold_count.store(static_cast<std::uint32_t>(parts_->holds.size()), std::memory_order_relaxed);
    }
    parts_->incoming.emplace(transfer, std::move(incoming));
  }
  const std::lock_guard guard(parts_->deferred_lock);
  parts_->announced.push_back(transfer);
  parts_->has_deferred.store(true, std::memory_order_release);
}

void Endpoint::on_sent(RankId, LargeFrame frame) {
  const std::lock_guard guard(parts_->deferred_lock);
  parts_->sent.push_back(std::move(frame));
  parts_->has_deferred.store(true, std::memory_order_release);
}

void Endpoint::on_peer_lost(RankId peer, const std::string& reason) {
  const std::lock_guard guard(parts_->deferred_lock);
  parts_->lost.emplace_back(peer, reason);
  parts_->has_deferred.store(true, std::memory_order_release);
}

void Endpoint::after_poll() {
  if (parts_->has_deferred.load(std::memory_order_acquire)) [[unlikely]] {
    if (parts_->has_deferred.exchange(false, std::memory_order_acq_rel)) run_deferred();
  }
  parts_->pool.wake();
}

void Endpoint::run_deferred() {
  parts_->deferred_lock.lock();
  const auto announced = std::exchange(parts_->announced, {});
  auto sent = std::exchange(parts_->sent, {});
  const auto control = std::exchange(parts_->control, {});
  const auto lost = std::exchange(parts_->lost, {});
  const auto probes = std::exchange(parts_->probes, {});
  const auto tokens = std::exchange(parts_->tokens, {});
  parts_->deferred_lock.unlock();
  for (const TransferId transfer : announced) prepare_transfer(transfer);
  sent.clear();
  for (const auto& [peer, reason] : lost) {
    if (events_.on_peer_lost) events_.on_peer_lost(peer, reason);  // the cause before its effects
    parts_->lost_reason[peer.index()] = reason;
    parts_->peer_lost[peer.index()].store(true, std::memory_order_release);
    fail_lost_calls(peer, reason);
  }
  for (const auto& message : control) {
    if (events_.on_control) events_.on_control(message.from, message.body);
  }
  for (const auto& probe : probes) probe();
  for (NodeSlot* const node : tokens) node->run_token();
  if (!announced.empty()) flush();
}

// Finds the final place of the arrays of a large frame, and asks for them.
void Endpoint::prepare_transfer(TransferId transfer) {
  Incoming* incoming = nullptr;
  {
    const std::lock_guard guard(parts_->incoming_lock);
    incoming = parts_->incoming.at(transfer).get();
  }
  std::vector<MutableSegment> destinations;
  try {
    destinations = destinations_of(*incoming);
  } catch (...) {
    refuse_transfer(transfer, std::current_exception());
    return;
  }
  transport_.accept(transfer, std::move(destinations));
}

std::vector<MutableSegment> Endpoint::destinations_of(Incoming& incoming) {
  wire::FrameHeader header;
  if (!wire::read(std::span<const std::byte>(incoming.frame), header))
    throw WireError("a large message without header");
  if (header.kind == wire::FrameKind::reply) {
    incoming.state = StateRef<>(take_call(header.id));
    if (!incoming.state) throw WireError("a reply that nobody waits for");
  }
  if (header.flags & wire::flag_late_decode) {
    std::vector<MutableSegment> destinations;
    for (const auto& segment : incoming.segments) {
      incoming.bytes.emplace_back(segment.size);
      destinations.push_back({incoming.bytes.back().data(), segment.size});
    }
    return destinations;
  }
  const std::span<const std::byte> frame(incoming.frame);
  if (header.kind == wire::FrameKind::reply) {
    if (!incoming.state->claim()) throw WireError("a reply that came too late");
    incoming.claimed = true;
    incoming.reader = std::make_unique<Reader>(frame.subspan(sizeof header), incoming.segments);
    incoming.state->decode_value(*incoming.reader);
    incoming.reader->finish();
    return std::move(incoming.reader->destinations());
  }
  RequestParts parts;
  if (!split_request(frame, parts)) throw WireError("a large message that is no call");
  const auto& table = method_table();
  if (parts.request.method >= table.size()) throw WireError("a call of a method that is not in the table");
  if (!table[parts.request.method]->prepare) throw WireError("a call whose arrays cannot come apart from it");
  incoming.reader = std::make_unique<Reader>(parts.body, incoming.segments);
  incoming.prepared = table[parts.request.method]->prepare(*incoming.reader);
  return std::move(incoming.reader->destinations());
}

void Endpoint::refuse_transfer(TransferId transfer, const std::exception_ptr& error) {
  transport_.refuse(transfer);
  std::unique_ptr<Incoming> incoming = take_incoming(transfer);
  if (incoming->state) {
    if (incoming->claimed || incoming->state->claim()) incoming->state->fail(error);
  } else {
    RequestParts parts;
    if (split_request(incoming->frame, parts) && parts.header.id != 0) {
      RemoteFailure failure = describe_exception(error);
      failure.node = parts.request.node < nodes_.size() ? label_of(NodeId(parts.request.node)) : "?";
      failure.method = parts.request.method < method_table().size() ? method_table()[parts.request.method]->name : "?";
      failure.rank = rank_.value();
      reply_failure(incoming->from, parts.header.id, failure, HandlerRan::no);
    } else {
      log_.error("a large message could not be read: " + describe_exception(error).text);
    }
  }
  release_held(std::move(incoming), nullptr);
}

// Out of the tables, and no more a reason to hold others back.
std::unique_ptr<Incoming> Endpoint::take_incoming(TransferId transfer) {
  const std::lock_guard guard(parts_->incoming_lock);
  const auto found = parts_->incoming.find(transfer);
  if (found == parts_->incoming.end()) return nullptr;
  std::unique_ptr<Incoming> incoming = std::move(found->second);
  parts_->incoming.erase(found);
  RequestParts parts;
  if (split_request(incoming->frame, parts)) {
    const auto hold = parts_->holds.find({incoming->from.value(), parts.request.node, parts.request.activity});
    if (hold != parts_->holds.end() && hold->second == transfer) parts_->holds.erase(hold);
    parts_->hold_count.store(static_cast<std::uint32_t>(parts_->holds.size()), std::memory_order_relaxed);
  }
  return incoming;
}

void Endpoint::on_large_received(TransferId transfer) {
  wire::FrameHeader header;
  {
    const std::lock_guard guard(parts_->incoming_lock);
    const auto found = parts_->incoming.find(transfer);
    if (found == parts_->incoming.end()) return;
    (void)wire::read(std::span<const std::byte>(found->second->frame), header);
    found->second->complete = true;
    if (found->second->waits_for_earlier) return;
  }
  admit_large(transfer, header);
}

void Endpoint::admit_large(TransferId transfer, const wire::FrameHeader& header) {
  std::unique_ptr<Incoming> incoming = take_incoming(transfer);
  if (header.kind == wire::FrameKind::control) {
    const std::lock_guard guard(parts_->deferred_lock);
    const Bytes& body = incoming->bytes.at(0);
    parts_->control.push_back({incoming->from, std::string(reinterpret_cast<const char*>(body.data()), body.size())});
    parts_->has_deferred.store(true, std::memory_order_release);
    return;
  }
  if (header.kind == wire::FrameKind::reply) {
    StateRef<> state = std::move(incoming->state);
    if (incoming->claimed) {
      state->finish();
    } else {
      complete(state.take(), header, incoming->bytes.at(0).span());
    }
    return;
  }
  RequestParts parts;
  if (!split_request(incoming->frame, parts) || parts.request.node >= slots_.size() || !slots_[parts.request.node]) {
    log_.error("a large request for a node that is not here");
    return;
  }
  auto* const slot = slots_[parts.request.node].get();
  release_held(std::move(incoming), slot);
}

// The large request enters the mailbox, then what its activity sent after it; a later large one may go on.
void Endpoint::release_held(std::unique_ptr<Incoming> incoming, NodeSlot* slot) {
  std::deque<Entry*> held = std::move(incoming->held);
  const auto next_large = incoming->next_large;
  RequestParts parts;
  (void)split_request(incoming->frame, parts);
  if (slot) slot->admit_quietly(new LargeRequest(std::move(incoming)));
  NodeSlot* const target = parts.request.node < slots_.size() ? slots_[parts.request.node].get() : nullptr;
  for (Entry* const entry : held) {
    if (target) {
      target->admit_quietly(entry);
    } else {
      entry->drop("the node is not on this rank");
    }
  }
  if (!next_large) return;
  wire::FrameHeader header;
  {
    const std::lock_guard guard(parts_->incoming_lock);
    const auto found = parts_->incoming.find(*next_large);
    if (found == parts_->incoming.end()) return;
    found->second->waits_for_earlier = false;
    if (!found->second->complete) return;
    (void)wire::read(std::span<const std::byte>(found->second->frame), header);
  }
  admit_large(*next_large, header);
}

}  // namespace slipway::detail
