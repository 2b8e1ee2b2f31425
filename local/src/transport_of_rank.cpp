// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "transport_of_rank.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string_view>

#include "slipway/base/error.hpp"

namespace slipway::local {

namespace {

// Sleep of a rank with peers on other hosts, which ring no bell: doubles from the first to the last while nothing
// comes.
constexpr seam::Time first_remote_nap = 20'000;
constexpr seam::Time last_remote_nap = 1'000'000;

bool other_hosts(const WorldState& world, RankId rank) {
  const auto& hosts = world.host_of_rank();
  return std::any_of(hosts.begin(), hosts.end(), [&](HostId host) { return host != hosts[rank.index()]; });
}

// "exit status 3: last words", without anything that a signal handler may not call.
class SignalSafeText {
 public:
  void append(std::string_view text) {
    const std::size_t length = std::min(text.size(), text_.size() - 1 - size_);
    std::copy_n(text.data(), length, text_.data() + size_);
    size_ += length;
  }
  void append_number(int number) {
    std::array<char, 12> digits{};
    std::size_t start = digits.size();
    auto rest = static_cast<unsigned>(std::max(number, 0));
    do {
      digits[--start] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    append({digits.data() + start, digits.size() - start});
  }
  const char* c_str() const { return text_.data(); }

 private:
  std::array<char, 400> text_{};
  std::size_t size_ = 0;
};

}  // namespace

TransportOfRank::TransportOfRank(std::shared_ptr<WorldState> world, RankId rank)
    : world_(std::move(world)),
      rank_(rank),
      self_(world_->endpoint(rank)),
      has_remote_peers_(other_hosts(*world_, rank)),
      reported_lost_(world_->size(), false),
      remote_nap_(first_remote_nap) {
  with_news_.reserve(world_->size());
}

TransportOfRank::~TransportOfRank() {
  if (!closed_) world_->lose(rank_, "it ended without closing its transport");
}

std::string TransportOfRank::describe() const {
  return "in-process transport, " + std::to_string(size()) + " ranks on " + std::to_string(host_names().size()) +
         " hosts";
}

std::vector<std::string> TransportOfRank::all_gather(const std::string& mine, seam::Time deadline) {
  return world_->gather(rank_, gather_round_++, mine, deadline);
}

// Sending ------------------------------------------------------------------------------------------------------------

void TransportOfRank::ring(RankId peer) {
  if (world_->same_host(rank_, peer)) world_->endpoint(peer).bell.ring_if_armed();
}

bool TransportOfRank::send(RankId to, FrameClass frame_class, std::span<const std::byte> head,
                           std::span<const std::byte> body) {
  if (head.size() + body.size() > max_small_frame()) [[unlikely]] {
    throw Error("a frame of " + std::to_string(head.size() + body.size()) + " bytes (small ones have at most " +
                std::to_string(max_small_frame()) + "); send it as a large frame");
  }
  if (world_->link(rank_, to).send(frame_class, head, body) == Link::Outcome::arrived) ring(to);
  return false;
}

void TransportOfRank::send_large(RankId to, LargeFrame frame) {
  const FrameClass frame_class = frame.frame_class;
  const auto announce = [&] {
    wire::FrameHeader header;
    header.kind = kind_large;
    header.id = world_->endpoint(to).incoming.add(rank_, to, std::move(frame));
    return header;
  };
  switch (world_->link(rank_, to).send_made(frame_class, announce)) {
    case Link::Outcome::arrived:
      ring(to);
      return;
    case Link::Outcome::waits:
      return;
    case Link::Outcome::dropped:
      world_->hand_back(rank_, to, std::move(frame));
      ring(rank_);
  }
}

void TransportOfRank::hand_back(Transfer& transfer) {
  world_->hand_back(transfer.from, transfer.to, std::move(transfer.large));
  ring(transfer.from);
}

void TransportOfRank::accept(TransferId transfer, std::vector<MutableSegment> destinations) {
  if (!self_.incoming.set_destinations(transfer, std::move(destinations))) return;
  {
    const std::lock_guard guard(self_.lock);
    self_.accepted.push_back(transfer);
  }
  self_.add_chore(Endpoint::start_copies);
  self_.bell.ring_if_armed();
}

void TransportOfRank::refuse(TransferId transfer) {
  if (const auto ended = self_.incoming.end(transfer)) hand_back(*ended);
}

bool TransportOfRank::has_unsent() const {
  if (self_.chores.load(std::memory_order_acquire) != 0) return true;
  if (copies_left_.load(std::memory_order_relaxed) != 0) return true;
  if (self_.starving_links.load(std::memory_order_relaxed) == 0) return false;
  for (std::uint32_t peer = 0; peer < size(); ++peer) {
    Link& link = world_->link(rank_, RankId(peer));
    if (link.starving() && link.could_flush()) return true;
  }
  return false;
}

// Polling ------------------------------------------------------------------------------------------------------------

int TransportOfRank::poll(FrameSink& sink) {
  int events = 0;
  if (seam::simulated() && seam::choose(2) == 1) events += report_losses(sink);
  events += flush_links();
  events += take_from_all(sink);
  events += do_chores(sink);
  events += report_losses(sink);
  if (events != 0 && has_remote_peers_) remote_nap_.store(first_remote_nap, std::memory_order_relaxed);
  return events;
}

int TransportOfRank::flush_links() {
  if (self_.starving_links.load(std::memory_order_relaxed) == 0) return 0;
  int events = 0;
  for (std::uint32_t peer = 0; peer < size(); ++peer) {
    Link& link = world_->link(rank_, RankId(peer));
    if (!link.starving() || !link.flush()) continue;
    ring(RankId(peer));
    ++events;
  }
  return events;
}

int TransportOfRank::take_from_all(FrameSink& sink) {
  with_news_.clear();
  for (std::uint32_t peer = 0; peer < size(); ++peer) {
    if (world_->link(RankId(peer), rank_).has_new() && !reported_lost_[peer]) with_news_.emplace_back(peer);
  }
  if (with_news_.empty()) return 0;
  held_until_ = seam::never;
  int events = 0;
  if (seam::simulated()) {
    events = take_in_chosen_order(sink);
  } else {
    for (const RankId peer : with_news_) events += take_from(peer, sink);
  }
  next_arrival_.store(held_until_, std::memory_order_relaxed);
  return events;
}

// Any order of the senders, and any number of them, may happen on a real network.
int TransportOfRank::take_in_chosen_order(FrameSink& sink) {
  int events = 0;
  while (!with_news_.empty()) {
    std::swap(with_news_[seam::choose(with_news_.size())], with_news_.back());
    events += take_from(with_news_.back(), sink);
    with_news_.pop_back();
    if (events != 0 && seam::choose(2) == 1) break;
  }
  return events;
}

int TransportOfRank::take_from(RankId peer, FrameSink& sink) {
  Link& link = world_->link(peer, rank_);
  int events = 0;
  // Bounded: the sender gets no new room before `give_back`.
  for (auto bytes = link.readable(); !bytes.empty(); bytes = link.readable()) {
    if (!take_batch(peer, link, bytes, sink, events)) break;
  }
  if (link.give_back() && world_->same_host(rank_, peer)) world_->endpoint(peer).bell.ring_if_armed();
  return events;
}

// False: what is left stays for a later poll.
bool TransportOfRank::take_batch(RankId peer, Link& link, std::span<const std::byte> bytes, FrameSink& sink,
                                 int& events) {
  std::size_t run = 0;  // bytes of ordinary frames in a row
  const auto deliver_run = [&] {
    if (run == 0) return;
    sink.on_frames(peer, bytes.first(run));
    bytes = bytes.subspan(run);
    link.skip(std::exchange(run, 0));
  };
  for (wire::FrameCursor cursor(bytes); cursor.next();) {
    const wire::FrameHeader header = cursor.header();
    if (header.kind < wire::FrameKind::transport_first) [[likely]] {
      run += cursor.frame().size();
      ++events;
      if (!seam::simulated() || seam::choose(4) != 0) [[likely]]
        continue;
      deliver_run();
      return false;
    }
    deliver_run();
    if (header.kind == kind_padding) return true;
    if (header.kind == kind_not_before && seam::now() < static_cast<seam::Time>(header.id)) {
      held_until_ = std::min(held_until_, static_cast<seam::Time>(header.id));
      return false;
    }
    bytes = bytes.subspan(sizeof header);
    link.skip(sizeof header);
    if (header.kind != kind_large) continue;
    announce_large(peer, header.id, sink);
    ++events;
  }
  deliver_run();
  return true;
}

void TransportOfRank::announce_large(RankId peer, TransferId id, FrameSink& sink) {
  const auto transfer = self_.incoming.claim(id);
  if (!transfer) return;
  sink.on_large(peer, id, transfer->large.frame, transfer->infos);
  if (self_.incoming.end_claim(*transfer)) hand_back(*transfer);
}

int TransportOfRank::do_chores(FrameSink& sink) {
  int events = 0;
  if (self_.chores.load(std::memory_order_seq_cst) != 0) {
    const std::uint32_t chores = self_.chores.exchange(0, std::memory_order_seq_cst);
    if ((chores & Endpoint::hand_over_sent) != 0) events += hand_over_sent(sink);
    if ((chores & Endpoint::start_copies) != 0) {
      const std::lock_guard guard(self_.lock);
      copies_.insert(copies_.end(), self_.accepted.begin(), self_.accepted.end());
      self_.accepted.clear();
    }
  }
  if (!copies_.empty()) events += copy_segments(sink);
  return events;
}

int TransportOfRank::hand_over_sent(FrameSink& sink) {
  sent_.clear();
  {
    const std::lock_guard guard(self_.lock);
    sent_.swap(self_.sent);
  }
  for (auto& [to, frame] : sent_) sink.on_sent(to, std::move(frame));
  return static_cast<int>(sent_.size());
}

// Takes turns between the transfers, a chunk in all, so that a long copy does not hold small frames up.
int TransportOfRank::copy_segments(FrameSink& sink) {
  int events = 0;
  std::uint64_t budget = world_->options().chunk_bytes;
  while (!copies_.empty() && budget > 0) {
    std::swap(copies_.front(), copies_[seam::choose(copies_.size())]);
    const TransferId id = copies_.front();
    copies_.pop_front();
    ++events;
    const auto transfer = self_.incoming.claim(id);
    if (!transfer) continue;
    const bool complete = copy_chunk(*transfer, budget);
    if (self_.incoming.end_claim(*transfer)) {
      hand_back(*transfer);
    } else if (!complete) {
      copies_.push_back(id);
    } else if (self_.incoming.end(id)) {
      hand_back(*transfer);
      sink.on_large_received(id);
    }
  }
  copies_left_.store(copies_.size(), std::memory_order_relaxed);
  return events;
}

// True when all segments are there.
bool TransportOfRank::copy_chunk(Transfer& transfer, std::uint64_t& budget) {
  while (transfer.segment < transfer.infos.size()) {
    const std::uint64_t left = transfer.infos[transfer.segment].size - transfer.offset;
    const std::uint64_t length = std::min(left, budget);
    if (length > 0) {
      std::memcpy(transfer.destinations[transfer.segment].data + transfer.offset,
                  transfer.large.segments[transfer.segment].data + transfer.offset, length);
    }
    budget -= length;
    transfer.offset += length;
    if (length < left) return false;
    ++transfer.segment;
    transfer.offset = 0;
  }
  return true;
}

// Losses -------------------------------------------------------------------------------------------------------------

int TransportOfRank::report_losses(FrameSink& sink) {
  const std::uint32_t losses = world_->losses();
  if (losses == seen_losses_) [[likely]]
    return 0;
  seen_losses_ = losses;
  int events = 0;
  const bool self_lost = self_.lost.load(std::memory_order_acquire);
  for (std::uint32_t peer = 0; peer < size(); ++peer) {
    const Endpoint& endpoint = world_->endpoint(RankId(peer));
    const bool lost = endpoint.lost.load(std::memory_order_acquire);
    if (RankId(peer) == rank_ || reported_lost_[peer] || !(lost || self_lost)) continue;
    const std::string reason =
        self_lost ? "rank " + std::to_string(rank_.value()) + " has been cut off: " + self_.last_words.data()
                  : "rank " + std::to_string(peer) + " is lost: " + endpoint.last_words.data();
    report_loss(RankId(peer), reason, sink);
    ++events;
  }
  return events + do_chores(sink);
}

void TransportOfRank::report_loss(RankId peer, const std::string& reason, FrameSink& sink) {
  reported_lost_[peer.index()] = true;
  world_->link(rank_, peer).close();
  for (const auto& transfer : world_->endpoint(peer).incoming.end_all_from(rank_)) hand_back(*transfer);
  for (const auto& transfer : self_.incoming.end_all_from(peer)) hand_back(*transfer);
  sink.on_peer_lost(peer, reason);
}

// Sleeping -----------------------------------------------------------------------------------------------------------

bool TransportOfRank::wait_bell(std::uint32_t ticket, seam::Time deadline) {
  seam::Time limit = std::min(deadline, next_arrival_.load(std::memory_order_relaxed));
  if (has_remote_peers_) {
    const seam::Time nap = remote_nap_.load(std::memory_order_relaxed);
    remote_nap_.store(std::min(2 * nap, last_remote_nap), std::memory_order_relaxed);
    limit = std::min(limit, seam::after(std::chrono::nanoseconds(nap)));
  }
  // Only this rank's own limit has passed: the caller should look again.
  return self_.bell.wait(ticket, limit) || limit < deadline;
}

// The end ------------------------------------------------------------------------------------------------------------

void TransportOfRank::close() {
  closed_ = true;
  for (std::uint32_t peer = 0; peer < size(); ++peer) world_->link(rank_, RankId(peer)).close();
}

void TransportOfRank::announce_death(int status, const char* last_words) noexcept {
  SignalSafeText text;
  text.append("it ended with status ");
  text.append_number(status);
  if (last_words != nullptr) {
    text.append(": ");
    text.append(last_words);
  }
  world_->lose(rank_, text.c_str());
}

}  // namespace slipway::local
