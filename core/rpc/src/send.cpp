// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// From a handle to the transport: room in the window, the call table, the frame.
#include <fmt/format.h>

#include <cstring>

#include "endpoint_parts.hpp"
#include "slipway/base/error.hpp"

namespace slipway::detail {

Activity& activity_of_this_thread(const Endpoint& endpoint) {
  if (current.activity) [[likely]]
    return *current.activity;
  // In order of first use.
  static std::atomic<std::uint64_t> threads{0};
  thread_local Activity own;
  if (own.id == 0) {
    const std::uint64_t of_rank = child_id(endpoint.settings().program, endpoint.rank().value());
    own.id = own.chain = child_id(of_rank, ~threads.fetch_add(1));
  }
  return own;
}

namespace {

template <class T>
std::span<const std::byte> bytes_of(const T& object) {
  return std::as_bytes(std::span(&object, 1));
}

class RoomWait {
 public:
  RoomWait(WakeList& list, Waiter& waiter) : list_(list), waiter_(waiter) { list_.add(waiter_); }
  ~RoomWait() { list_.remove(waiter_); }
  RoomWait(const RoomWait&) = delete;
  RoomWait& operator=(const RoomWait&) = delete;

 private:
  WakeList& list_;
  Waiter& waiter_;
};

// What precedes the arguments on the wire.
class RequestHead {
 public:
  RequestHead(const CallSetup& setup, Activity& activity, bool is_post, std::uint64_t id)
      : on_wire_{.frame = {.kind = is_post ? wire::FrameKind::post : wire::FrameKind::request,
                           .priority = setup.priority,
                           .id = id},
                 .request = {.node = setup.node.value(),
                             .method = setup.method->index.value(),
                             .call_index = activity.next_call++,
                             .activity = activity.id,
                             .chain = activity.chain}} {
    if (setup.deadline == seam::never) return;
    const seam::Time left = setup.deadline - seam::now();
    on_wire_.request.time_left = left > 0 ? left : 1;
  }
  void set_flags(std::uint8_t flags) { on_wire_.frame.flags = flags; }
  std::span<const std::byte> bytes(std::size_t body) {
    on_wire_.frame.size = static_cast<std::uint32_t>(sizeof on_wire_.request + body);
    return std::as_bytes(std::span(&on_wire_, 1));
  }

 private:
  struct {
    wire::FrameHeader frame;
    wire::RequestHeader request;
  } on_wire_;
  static_assert(sizeof on_wire_ == sizeof(wire::FrameHeader) + sizeof(wire::RequestHeader));
};

// A frame whose body is its only segment.
LargeFrame with_body_as_segment(FrameClass frame_class, std::span<const std::byte> head, Bytes body) {
  auto kept = std::make_shared<Bytes>(std::move(body));
  LargeFrame frame{.frame_class = frame_class, .frame = {head.begin(), head.end()}};
  frame.segments.push_back({kept->data(), {.size = kept->size()}});
  frame.keep_alive = std::move(kept);
  return frame;
}

LargeFrame with_segments(FrameClass frame_class, std::span<const std::byte> head, Writer& writer,
                         std::shared_ptr<void> keep_alive) {
  LargeFrame frame{.frame_class = frame_class, .frame = {head.begin(), head.end()}};
  const auto body = writer.body();
  frame.frame.insert(frame.frame.end(), body.begin(), body.end());
  frame.segments = std::move(writer.segments());
  frame.keep_alive = std::move(keep_alive);
  return frame;
}

// The way of frames whose body is too large for a small one.
Bytes whole_body(const Writer& writer) {
  Bytes body(writer.body().size());
  std::memcpy(body.data(), writer.body().data(), body.size());
  return body;
}

std::uint64_t total_size(Writer& writer) {
  std::uint64_t total = writer.body().size();
  for (const auto& segment : writer.segments()) total += segment.info.size;
  return total;
}

}  // namespace

Admitted Endpoint::admit(const CallSetup& setup, std::uint64_t bytes, CallState* state) {
  const Admitted admitted = calls_.admit(setup.node, bytes, state);
  if (admitted == Admitted::yes) [[likely]]
    return admitted;
  if (admitted == Admitted::closed) throw Stopped(parts_->calls_closed_reason);
  return setup.try_only ? admitted : wait_for_room(setup, bytes, state);
}

Admitted Endpoint::wait_for_room(const CallSetup& setup, std::uint64_t bytes, CallState* state) {
  Waiter waiter;
  Admitted admitted = Admitted::full;
  const auto try_again = [&] {
    if (admitted != Admitted::full) return true;
    waiter.reset_if_told();  // before the look: what changes after it wakes again
    admitted = calls_.admit(setup.node, bytes, state);
    return admitted != Admitted::full;
  };
  {
    const RoomWait listed(parts_->room_waiters, waiter);
    wait_for_condition("room in the window of", setup.node, setup.deadline, waiter, try_again);
  }
  if (admitted == Admitted::closed) throw Stopped(parts_->calls_closed_reason);
  if (admitted == Admitted::yes) return admitted;
  throw Timeout(fmt::format("node '{}' had no room for the call {} in time", label_of(setup.node), setup.method->name),
                HandlerRan::no);
}

void Endpoint::give_room(NodeId node, std::uint64_t room) {
  calls_.give_room(node, room);
  parts_->room_waiters.wake_all();
}

void Endpoint::give_local_room(NodeId node) { give_room(node, CallTable::room_for(0)); }

// What all ways over the wire have in common. `send` gets the receiver and what precedes the arguments.
template <class Send>
Admitted Endpoint::call_over_wire(const CallSetup& setup, CallState* state, std::uint64_t bytes, Send&& send) {
  StateRef<> mine(state);
  Activity& activity = activity_of_this_thread(*this);
  if (state) describe_call(*state, *this, setup);
  if (admit(setup, bytes, state) == Admitted::full) return Admitted::full;
  static_cast<void>(mine.take());
  if (state) add_timer(*state);
  RequestHead head(setup, activity, state == nullptr, state ? state->place.number() : 0);
  const RankId to = rank_of(setup.node);
  send(to, head);
  if (state && parts_->peer_lost[to.index()].load(std::memory_order_acquire)) [[unlikely]] {
    fail_lost_calls(to, parts_->lost_reason[to.index()]);
  }
  return Admitted::yes;
}

Admitted Endpoint::call_remote_raw(const CallSetup& setup, CallState* state, std::span<std::byte> frame) {
  const std::span<const std::byte> arguments = frame.subspan(wire::request_heads);
  if (frame.size() > largest_frame_ || rank_of(setup.node) == rank_) [[unlikely]] {
    Writer writer;
    writer.bytes(arguments.data(), arguments.size());
    return call_remote(setup, state, writer, nullptr);
  }
  return call_over_wire(setup, state, frame.size(), [&](RankId to, RequestHead& head) {
    std::memcpy(frame.data(), head.bytes(arguments.size()).data(), wire::request_heads);
    if (transport_.send(to, FrameClass::request, frame, {}) && !setup.caller_waits) flush();
  });
}

namespace {

// What is attached to arguments goes back unless they were sent.
class AttachmentsScope {
 public:
  explicit AttachmentsScope(Writer& writer) : writer_(writer) {}
  ~AttachmentsScope() { writer_.give_back_attachments(); }
  AttachmentsScope(const AttachmentsScope&) = delete;
  AttachmentsScope& operator=(const AttachmentsScope&) = delete;

 private:
  Writer& writer_;
};

}  // namespace

Admitted Endpoint::call_remote(const CallSetup& setup, CallState* state, Writer& arguments,
                               std::shared_ptr<void> keep_alive) {
  const AttachmentsScope attached(arguments);
  const auto body = arguments.body();
  const bool has_segments = !arguments.segments().empty();
  const std::uint64_t bytes = total_size(arguments) + wire::request_heads;
  return call_over_wire(setup, state, bytes, [&](RankId to, RequestHead& head) {
    arguments.sent();
    if (has_segments) {
      head.set_flags(wire::flag_has_segments);
      auto frame = with_segments(FrameClass::request, head.bytes(body.size()), arguments, std::move(keep_alive));
      transport_.send_large(to, std::move(frame));
      flush();
    } else if (to == rank_) {
      deliver_here(head.bytes(body.size()), body);
    } else if (bytes > largest_frame_) {
      head.set_flags(wire::flag_has_segments | wire::flag_late_decode);
      transport_.send_large(to, with_body_as_segment(FrameClass::request, head.bytes(0), whole_body(arguments)));
      flush();
    } else if (transport_.send(to, FrameClass::request, head.bytes(body.size()), body) && !setup.caller_waits) {
      flush();
    }
  });
}

void Endpoint::reply(RankId to, std::uint64_t call_id, Writer& value, std::shared_ptr<void> keep_alive) {
  wire::FrameHeader header{.kind = wire::FrameKind::reply, .id = call_id};
  const std::size_t body = value.body().size();
  value.sent();
  if (to == rank_) {
    header.size = static_cast<std::uint32_t>(body);
    deliver_here(bytes_of(header), value.body());
    return;
  }
  if (value.segments().empty() && sizeof header + body <= largest_frame_) {
    header.size = static_cast<std::uint32_t>(body);
    if (transport_.send(to, FrameClass::reply, bytes_of(header), value.body())) flush();
    return;
  }
  if (value.segments().empty()) {
    header.flags = wire::flag_has_segments | wire::flag_late_decode;
    transport_.send_large(to, with_body_as_segment(FrameClass::reply, bytes_of(header), whole_body(value)));
  } else {
    header.flags = wire::flag_has_segments;
    header.size = static_cast<std::uint32_t>(body);
    transport_.send_large(to, with_segments(FrameClass::reply, bytes_of(header), value, std::move(keep_alive)));
  }
  flush();
}

void Endpoint::reply_raw(RankId to, std::uint64_t call_id, std::span<std::byte> frame) {
  const std::span<const std::byte> value = frame.subspan(sizeof(wire::FrameHeader));
  const wire::FrameHeader header{
      .kind = wire::FrameKind::reply, .size = static_cast<std::uint32_t>(value.size()), .id = call_id};
  if (to == rank_) return deliver_here(bytes_of(header), value);
  std::memcpy(frame.data(), &header, sizeof header);
  if (transport_.send(to, FrameClass::reply, frame, {})) flush();
}

void Endpoint::reply_failure(RankId to, std::uint64_t call_id, const RemoteFailure& failure, HandlerRan ran) {
  Writer writer(Writer::never);  // of its own: the thread may be amid a call, and wait for room
  const auto text = [&writer](std::string_view what) {
    constexpr std::size_t longest = 512;  // the whole of it is in the log; a reply of this kind must stay small
    what = what.substr(0, longest);
    writer.size(what.size());
    writer.bytes(what.data(), what.size());
  };
  writer.size(static_cast<std::uint64_t>(ran));
  writer.size(failure.rank);
  text(failure.type);
  text(failure.text);
  text(failure.node);
  text(failure.method);
  const auto body = writer.body();
  const wire::FrameHeader header{.kind = wire::FrameKind::reply,
                                 .flags = wire::flag_failure,
                                 .size = static_cast<std::uint32_t>(body.size()),
                                 .id = call_id};
  if (to == rank_) {
    deliver_here(bytes_of(header), body);
  } else if (transport_.send(to, FrameClass::reply, bytes_of(header), body)) {
    flush();
  }
}

void Endpoint::deliver_here(std::span<const std::byte> head, std::span<const std::byte> body) {
  wire::FrameHeader header;
  (void)wire::read(head, header);
  if (header.kind == wire::FrameKind::reply) {
    if (CallState* const state = take_call(header.id)) complete(state, header, body);
    return;
  }
  Bytes frame(head.size() + body.size());
  std::memcpy(frame.data(), head.data(), head.size());
  if (!body.empty()) std::memcpy(frame.data() + head.size(), body.data(), body.size());
  RequestParts parts;
  (void)split_request(frame.span(), parts);
  slots_[parts.request.node]->admit(RemoteRun::make(rank_, frame.span(), seam::now()));
}

// A caller of posts learns in steps of an eighth of its window what has been taken off the mailbox.
void Endpoint::post_consumed(NodeSlot& slot, RankId from, std::uint64_t bytes) {
  auto& unreported = slot.unreported[from.index()];
  const std::uint64_t room = CallTable::room_for(bytes);
  const std::uint64_t now = unreported.fetch_add(room, std::memory_order_relaxed) + room;
  constexpr std::uint64_t steps = 8;
  const bool few = CallTable::calls_in(now) < (settings_.window_calls + steps - 1) / steps;
  if (few && CallTable::bytes_in(now) < settings_.window_bytes / steps) return;
  report_consumed(slot, from);
}

void Endpoint::report_all_consumed() {
  for (const auto& slot : slots_) {
    if (!slot) continue;
    for (std::uint32_t rank = 0; rank < transport_.size(); ++rank) {
      if (slot->unreported[rank].load(std::memory_order_relaxed) != 0) report_consumed(*slot, RankId(rank));
    }
  }
}

void Endpoint::report_consumed(NodeSlot& slot, RankId from) {
  auto& unreported = slot.unreported[from.index()];
  const std::uint64_t reported = unreported.exchange(0, std::memory_order_relaxed);
  if (reported == 0) return;
  struct {
    std::uint64_t room;
    std::uint32_t node;
    std::uint32_t reserved = 0;
  } const body{reported, slot.id.value()};
  if (from == rank_) {
    give_room(slot.id, reported);
    return;
  }
  const wire::FrameHeader header{.kind = wire::FrameKind::consumed, .size = sizeof body};
  if (transport_.send(from, FrameClass::control, bytes_of(header), bytes_of(body))) flush();
}

Admitted Endpoint::admit_local(const CallSetup& setup, NodeSlot& slot, LocalCallBase* entry) {
  if (admit(setup, 0, nullptr) == Admitted::full) return Admitted::full;
  entry->set_takes_room();
  entry->take_index();
  if (entry->state()) add_timer(*const_cast<CallState*>(entry->state()));
  slot.admit(entry);
  return Admitted::yes;
}

}  // namespace slipway::detail
