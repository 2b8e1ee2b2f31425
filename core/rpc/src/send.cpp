// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// From a handle to the transport: room in the window, the call table, the frame.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "endpoint_parts.hpp"
#include "slipway/base/error.hpp"

namespace slipway::detail {

namespace {

constexpr std::uint64_t one_call = std::uint64_t{1} << 32;
constexpr std::uint64_t byte_mask = one_call - 1;
constexpr std::uint64_t unit = 64;

std::uint64_t room_for(std::uint64_t bytes) { return one_call + bytes / unit; }

Activity& activity_of_this_thread(const Endpoint& endpoint) {
  if (current.activity) [[likely]] return *current.activity;
  // A thread that the user started: an activity of its own, in order of first use.
  static std::atomic<std::uint64_t> threads{0};
  thread_local Activity own;
  if (own.id == 0) own.id = own.chain = child_id(endpoint.settings().program, ~threads.fetch_add(1));
  return own;
}

template <class T>
std::span<const std::byte> bytes_of(const T& object) {
  return std::as_bytes(std::span(&object, 1));
}

// FrameHeader and RequestHeader, as they lie on the wire.
class RequestHead {
 public:
  RequestHead(const CallSetup& setup, Activity& activity, bool is_post, std::uint64_t id) {
    frame_.kind = is_post ? wire::FrameKind::post : wire::FrameKind::request;
    frame_.priority = setup.priority;
    frame_.id = id;
    request_.node = setup.node.value();
    request_.method = setup.method->index.value();
    request_.call_index = activity.next_call++;
    request_.activity = activity.id;
    request_.chain = activity.chain;
    if (setup.deadline != seam::never) {
      const seam::Time left = setup.deadline - seam::now();
      request_.time_left = left > 0 ? left : 1;
    }
  }
  void set_flags(std::uint8_t flags) { frame_.flags = flags; }
  std::span<const std::byte> bytes(std::size_t body) {
    frame_.size = static_cast<std::uint32_t>(sizeof request_ + body);
    std::memcpy(bytes_.data(), &frame_, sizeof frame_);
    std::memcpy(bytes_.data() + sizeof frame_, &request_, sizeof request_);
    return bytes_;
  }

 private:
  wire::FrameHeader frame_;
  wire::RequestHeader request_;
  std::array<std::byte, sizeof(wire::FrameHeader) + sizeof(wire::RequestHeader)> bytes_{};
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

// All segments copied into the body: the way of frames with a large body and arrays beside it.
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

bool Endpoint::has_room(NodeId, std::uint64_t bytes, std::uint64_t used) const {
  const std::uint64_t calls = used >> 32;
  const std::uint64_t used_bytes = (used & byte_mask) * unit;
  return calls < settings_.window_calls && (used_bytes == 0 || used_bytes + bytes <= settings_.window_bytes);
}

Admitted Endpoint::take_room(const CallSetup& setup, std::uint64_t bytes) {
  auto& window = windows_[setup.node.index()];
  const std::uint64_t used = window.fetch_add(room_for(bytes), std::memory_order_relaxed);
  if (has_room(setup.node, bytes, used)) [[likely]] return Admitted::yes;
  window.fetch_sub(room_for(bytes), std::memory_order_relaxed);
  return wait_for_room(setup, bytes);
}

Admitted Endpoint::wait_for_room(const CallSetup& setup, std::uint64_t bytes) {
  if (setup.try_only) return Admitted::full;
  auto& window = windows_[setup.node.index()];
  Waiter waiter;
  bool taken = false;
  const auto try_take = [&] {
    if (taken || parts_->calls_closed.load(std::memory_order_acquire)) return true;
    std::uint64_t used = window.load(std::memory_order_relaxed);
    while (has_room(setup.node, bytes, used)) {
      if (window.compare_exchange_weak(used, used + room_for(bytes), std::memory_order_acq_rel)) return taken = true;
    }
    return false;
  };
  wait_for_condition("room in the window of", setup.node, setup.deadline, waiter, try_take);
  if (taken) return Admitted::yes;
  if (parts_->calls_closed.load()) throw Stopped(parts_->calls_closed_reason);
  throw Timeout(fmt::format("node '{}' had no room for the call {} in time", label_of(setup.node), setup.method->name),
                HandlerRan::no);
}

void Endpoint::give_local_room(NodeId node) {
  give_room(node, one_call);
}

void Endpoint::give_room(NodeId node, std::uint64_t room) {
  windows_[node.index()].fetch_sub(room, std::memory_order_release);
}

namespace {

void describe_call(CallState& state, Endpoint& endpoint, const CallSetup& setup, const Activity& activity,
                   std::uint64_t bytes) {
  state.info = {.endpoint = &endpoint,
                .method = setup.method,
                .node = setup.node,
                .activity = activity.id,
                .room = room_for(bytes),
                .deadline = setup.deadline};
}

}  // namespace

Admitted Endpoint::call_remote_raw(const CallSetup& setup, CallState* state, std::span<const std::byte> arguments) {
  constexpr std::size_t heads = sizeof(wire::FrameHeader) + sizeof(wire::RequestHeader);
  if (arguments.size() + heads > transport_.max_small_frame() && rank_of(setup.node) != rank_) {
    Writer writer;
    writer.bytes(arguments.data(), arguments.size());
    return call_remote(setup, state, writer, nullptr);
  }
  StateRef<> mine(state);
  if (parts_->calls_closed.load(std::memory_order_acquire)) throw Stopped(parts_->calls_closed_reason);
  const std::uint64_t bytes = arguments.size() + heads;
  if (take_room(setup, bytes) == Admitted::full) return Admitted::full;
  Activity& activity = activity_of_this_thread(*this);
  std::uint64_t id = 0;
  if (state) {
    describe_call(*state, *this, setup, activity, bytes);
    state->retain();
    state->info.id = id = parts_->calls.insert(state);
    add_timer(*state);
  }
  RequestHead head(setup, activity, state == nullptr, id);
  const RankId to = rank_of(setup.node);
  if (to == rank_) {
    deliver_here(head.bytes(arguments.size()), arguments);
  } else if (transport_.send(to, FrameClass::request, head.bytes(arguments.size()), arguments)) {
    flush();
  }
  if (state && parts_->peer_lost[to.index()].load(std::memory_order_acquire)) fail_lost_calls(to, "it is gone");
  return Admitted::yes;
}

Admitted Endpoint::call_remote(const CallSetup& setup, CallState* state, Writer& arguments,
                               std::shared_ptr<void> keep_alive) {
  constexpr std::size_t heads = sizeof(wire::FrameHeader) + sizeof(wire::RequestHeader);
  const std::size_t largest = transport_.max_small_frame();
  const std::size_t body = arguments.body().size();
  const std::size_t segments = arguments.segments().size();
  if (segments == 0 && (body + heads <= largest || rank_of(setup.node) == rank_)) return call_remote_raw(setup, state, arguments.body());
  StateRef<> mine(state);
  if (parts_->calls_closed.load(std::memory_order_acquire)) throw Stopped(parts_->calls_closed_reason);
  const std::uint64_t bytes = total_size(arguments) + heads;
  if (take_room(setup, bytes) == Admitted::full) return Admitted::full;
  Activity& activity = activity_of_this_thread(*this);
  std::uint64_t id = 0;
  if (state) {
    describe_call(*state, *this, setup, activity, bytes);
    state->retain();
    state->info.id = id = parts_->calls.insert(state);
    add_timer(*state);
  }
  RequestHead head(setup, activity, state == nullptr, id);
  const RankId to = rank_of(setup.node);
  if (segments == 0) {
    head.set_flags(wire::flag_has_segments | wire::flag_late_decode);
    transport_.send_large(to, with_body_as_segment(FrameClass::request, head.bytes(0), whole_body(arguments)));
  } else {
    head.set_flags(wire::flag_has_segments);
    transport_.send_large(to, with_segments(FrameClass::request, head.bytes(body), arguments, std::move(keep_alive)));
  }
  flush();
  if (state && parts_->peer_lost[to.index()].load(std::memory_order_acquire)) fail_lost_calls(to, "it is gone");
  return Admitted::yes;
}

void Endpoint::reply(RankId to, std::uint64_t call_id, Writer& value, std::shared_ptr<void> keep_alive) {
  wire::FrameHeader header{.kind = wire::FrameKind::reply, .id = call_id};
  const std::size_t body = value.body().size();
  if (to == rank_) {
    header.size = static_cast<std::uint32_t>(body);
    deliver_here(bytes_of(header), value.body());
    return;
  }
  if (value.segments().empty() && sizeof header + body <= transport_.max_small_frame()) {
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

void Endpoint::reply_raw(RankId to, std::uint64_t call_id, std::span<const std::byte> value) {
  const wire::FrameHeader header{.kind = wire::FrameKind::reply,
                                 .size = static_cast<std::uint32_t>(value.size()),
                                 .id = call_id};
  if (to == rank_) {
    deliver_here(bytes_of(header), value);
  } else if (transport_.send(to, FrameClass::reply, bytes_of(header), value)) {
    flush();
  }
}

void Endpoint::reply_failure(RankId to, std::uint64_t call_id, const RemoteFailure& failure, HandlerRan ran) {
  Writer& writer = scratch_writer(Writer::never);
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
    take_reply(header, body);
    return;
  }
  Bytes frame(head.size() + body.size());
  std::memcpy(frame.data(), head.data(), head.size());
  if (!body.empty()) std::memcpy(frame.data() + head.size(), body.data(), body.size());
  RequestParts parts;
  (void)split_request(frame.span(), parts);
  slots_[parts.request.node]->admit(RemoteRun::make(rank_, frame.span()));
}

// A caller of posts learns in steps of an eighth of its window what has been taken off the mailbox.
void Endpoint::post_consumed(NodeSlot& slot, RankId from, std::uint64_t bytes) {
  auto& unreported = slot.unreported[from.index()];
  const std::uint64_t now = unreported.fetch_add(room_for(bytes), std::memory_order_relaxed) + room_for(bytes);
  constexpr std::uint64_t steps = 8;
  const bool few = (now >> 32) < (settings_.window_calls + steps - 1) / steps;
  if (few && (now & byte_mask) * unit < settings_.window_bytes / steps) return;
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
  if (from == rank_) return give_room(slot.id, reported);
  const wire::FrameHeader header{.kind = wire::FrameKind::consumed, .size = sizeof body};
  if (transport_.send(from, FrameClass::control, bytes_of(header), bytes_of(body))) flush();
}

Admitted Endpoint::admit_local(const CallSetup& setup, NodeSlot& slot, LocalCallBase* entry) {
  if (parts_->calls_closed.load(std::memory_order_acquire)) throw Stopped(parts_->calls_closed_reason);
  if (take_room(setup, 0) == Admitted::full) return Admitted::full;
  entry->set_takes_room();
  if (entry->state()) add_timer(*const_cast<CallState*>(entry->state()));
  slot.admit(entry);
  return Admitted::yes;
}

}  // namespace slipway::detail
