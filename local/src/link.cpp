// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace slipway::local {

Link::Link(const LinkLimits& limits, std::atomic<int>& starving_links)
    : limits_(limits), starving_links_(starving_links) {}

Link::Outcome Link::send(FrameClass frame_class, std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::lock_guard guard(lock_);
  if (closed_) return Outcome::dropped;
  return send_locked(frame_class, head, body);
}

Link::Outcome Link::send_locked(FrameClass frame_class, std::span<const std::byte> head,
                                std::span<const std::byte> body) {
  const bool request = frame_class == FrameClass::request;
  FrameQueue& queue = request ? waiting_requests_ : waiting_replies_;
  if (queue.empty() && try_write(request, head, body)) return Outcome::arrived;
  queue.push(head, body);
  update_starving();
  // Room given back before `starving_` was seen would be missed otherwise.
  return flush_locked() ? Outcome::arrived : Outcome::waits;
}

bool Link::flush() {
  const std::lock_guard guard(lock_);
  return flush_locked();
}

bool Link::flush_locked() {
  const std::uint64_t before = written_;
  while (!waiting_replies_.empty() && try_write(false, waiting_replies_.front(), {})) waiting_replies_.pop();
  while (!waiting_requests_.empty() && try_write(true, waiting_requests_.front(), {})) waiting_requests_.pop();
  update_starving();
  return written_ != before;
}

bool Link::could_flush() {
  const std::lock_guard guard(lock_);
  head_seen_ = head_.load(std::memory_order_seq_cst);
  return (!waiting_replies_.empty() && has_room(false, room_for(waiting_replies_.front().size()))) ||
         (!waiting_requests_.empty() && has_room(true, room_for(waiting_requests_.front().size())));
}

void Link::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  waiting_requests_.clear();
  waiting_replies_.clear();
  update_starving();
}

void Link::set_delay(seam::Time delay) {
  const std::lock_guard guard(lock_);
  delay_ = delay;
}

void Link::update_starving() {
  const bool starving = !waiting_requests_.empty() || !waiting_replies_.empty();
  if (starving == starving_.load(std::memory_order_relaxed)) return;
  starving_.store(starving, std::memory_order_seq_cst);
  starving_links_.fetch_add(starving ? 1 : -1, std::memory_order_relaxed);
}

// Whether `need` bytes in one piece fit, with the padding at the end of the lap that this may take.
bool Link::has_room(bool request, std::size_t need) const {
  const std::size_t rest_of_lap = limits_.capacity - (written_ & (limits_.capacity - 1));
  const std::uint64_t end = written_ + (rest_of_lap < need ? rest_of_lap : 0) + need;
  if (end - head_seen_ > (request ? limits_.request_room : limits_.capacity)) return false;
  if (!request || requests_ < limits_.credits) return true;
  return request_ends_[requests_ % limits_.credits] <= head_seen_;
}

bool Link::try_write(bool request, std::span<const std::byte> head, std::span<const std::byte> body) {
  if (!bytes_) [[unlikely]] {
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(limits_.capacity);
    request_ends_.resize(limits_.credits);
  }
  const std::size_t need = room_for(head.size() + body.size());
  if (!has_room(request, need)) {
    head_seen_ = head_.load(std::memory_order_seq_cst);
    if (!has_room(request, need)) return false;
  }
  const std::size_t rest_of_lap = limits_.capacity - (written_ & (limits_.capacity - 1));
  if (rest_of_lap < need) {
    const std::uint64_t next_lap = written_ + rest_of_lap;
    if (rest_of_lap >= sizeof(wire::FrameHeader)) write_header(kind_padding, 0);
    written_ = next_lap;
  }
  if (delay_ > 0) write_header(kind_not_before, static_cast<std::uint64_t>(seam::now() + delay_));
  write(head);
  write(body);
  if (request) request_ends_[requests_++ % limits_.credits] = written_;
  // Sequentially consistent against the receiver's arming of its bell.
  tail_.store(written_, std::memory_order_seq_cst);
  return true;
}

void Link::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::memcpy(bytes_.get() + (written_ & (limits_.capacity - 1)), bytes.data(), bytes.size());
  written_ += bytes.size();
}

void Link::write_header(wire::FrameKind kind, std::uint64_t id) {
  wire::FrameHeader header;
  header.kind = kind;
  header.id = id;
  write(std::as_bytes(std::span(&header, 1)));
}

std::span<const std::byte> Link::readable() {
  const std::uint64_t tail = tail_.load(std::memory_order_seq_cst);
  while (position_ != tail) {
    const std::size_t offset = position_ & (limits_.capacity - 1);
    const std::size_t rest_of_lap = limits_.capacity - offset;
    wire::FrameHeader header;
    const bool padding = !wire::read({bytes_.get() + offset, rest_of_lap}, header) || header.kind == kind_padding;
    if (!padding) return {bytes_.get() + offset, std::min<std::uint64_t>(rest_of_lap, tail - position_)};
    position_ += rest_of_lap;
  }
  return {};
}

bool Link::give_back() {
  // Sequentially consistent against the sender's `starving_`.
  head_.store(position_, std::memory_order_seq_cst);
  return starving_.load(std::memory_order_seq_cst);
}

}  // namespace slipway::local
