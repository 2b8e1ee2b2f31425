// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "own_frames.hpp"

namespace slipway::detail {

Rendezvous::Rendezvous(MPI_Comm communicator, Outbox& outbox, std::vector<ChunkLimits> limits)
    : communicator_(communicator), outbox_(outbox), limits_(std::move(limits)), gone_(limits_.size(), false) {
  for (std::uint32_t slot = slots; slot > 0; --slot) free_slots_.push_back(slot);
  for (std::uint32_t tag = largest_tag; tag > slots; --tag) free_push_tags_.push_back(tag);
}

std::uint32_t Rendezvous::take_push_tag(const Outgoing& transfer) {
  constexpr std::uint64_t surely_not_eager = 8'192;
  std::uint64_t total = 0;
  for (const auto& segment : transfer.frame.segments) {
    if (segment.info.size < surely_not_eager) return 0;
    total += segment.info.size;
  }
  if (total > limits_[transfer.to].pushed_bytes || free_push_tags_.empty()) return 0;
  const std::uint32_t tag = free_push_tags_.back();
  free_push_tags_.pop_back();
  return tag;
}

void Rendezvous::send(std::uint32_t to, LargeFrame frame) {
  std::vector<std::byte> payload;  // what follows the AnnounceHeader
  payload.reserve(frame.segments.size() * sizeof(wire::SegmentInfo) + frame.frame.size());
  for (const auto& segment : frame.segments) {
    const auto info = bytes_of(segment.info);
    payload.insert(payload.end(), info.begin(), info.end());
  }
  payload.insert(payload.end(), frame.frame.begin(), frame.frame.end());
  AnnounceHeader header{.segments = static_cast<std::uint32_t>(frame.segments.size()),
                        .frame_size = static_cast<std::uint32_t>(frame.frame.size())};
  const FrameClass frame_class = frame.frame_class;
  auto transfer = std::make_unique<Outgoing>();
  transfer->to = to;
  transfer->frame = std::move(frame);
  {
    std::lock_guard guard(lock_);
    header.number = transfer->number = next_number_++;
    header.pushed_tag = transfer->tag = take_push_tag(*transfer);
    if (transfer->is_pushed()) {
      add_work(1);
      pushed_.push_back(std::move(transfer));
      unstarted_.store(pushed_.size(), std::memory_order_relaxed);
    } else {
      announced_out_.emplace(header.number, std::move(transfer));
    }
  }
  if (outbox_.append_own(to, frame_class, own_frames::announce, bytes_of(header), payload)) return;
  if (header.pushed_tag != 0) return;               // `start_pushed` sees that the peer is dead
  auto refused = take_outgoing(header.number, to);  // `drop_peer` may have been faster
  if (!refused) return;
  std::lock_guard guard(lock_);
  returned_.push_back(std::move(refused));
  add_work(1);
}

Rendezvous::OutgoingPointer Rendezvous::take_outgoing(std::uint64_t number, std::uint32_t to) {
  std::lock_guard guard(lock_);
  const auto found = announced_out_.find(number);
  if (found == announced_out_.end() || found->second->to != to) return nullptr;
  auto transfer = std::move(found->second);
  announced_out_.erase(found);
  return transfer;
}

Rendezvous::IncomingPointer Rendezvous::take_announced(TransferId id) {
  std::lock_guard guard(lock_);
  const auto found = announced_in_.find(id);
  if (found == announced_in_.end()) return nullptr;
  auto transfer = std::move(found->second);
  announced_in_.erase(found);
  return transfer;
}

void Rendezvous::answer(IncomingPointer transfer) {
  std::lock_guard guard(lock_);
  answered_.push_back(std::move(transfer));
  add_work(1);
}

void Rendezvous::accept(TransferId id, std::vector<MutableSegment> destinations) {
  auto transfer = take_announced(id);
  if (!transfer) return;  // its sender is gone
  bool fits = destinations.size() == transfer->sizes.size();
  for (std::size_t i = 0; fits && i < destinations.size(); ++i) fits = destinations[i].size == transfer->sizes[i];
  transfer->refused = !fits;
  transfer->destinations = std::move(destinations);
  answer(std::move(transfer));
  if (!fits) {
    throw Error("transfer " + std::to_string(id) +
                " was accepted into memory of another shape than announced; give as many bytes a segment as announced");
  }
}

void Rendezvous::refuse(TransferId id) {
  auto transfer = take_announced(id);
  if (!transfer) return;
  transfer->refused = true;
  answer(std::move(transfer));
}

bool Rendezvous::on_announce(std::uint32_t from, std::span<const std::byte> payload, FrameSink& sink) {
  AnnounceHeader header;
  if (!wire::read(payload, header)) return false;
  payload = payload.subspan(sizeof header);
  const std::uint64_t infos_size = std::uint64_t{header.segments} * sizeof(wire::SegmentInfo);
  if (infos_size + header.frame_size != payload.size()) return false;
  std::vector<wire::SegmentInfo> infos(header.segments);
  std::memcpy(infos.data(), payload.data(), infos_size);

  auto transfer = std::make_unique<Incoming>();
  const TransferId id = transfer->id = next_transfer_++;
  transfer->from = from;
  transfer->number = header.number;
  if (header.pushed_tag != 0 && !is_push_tag(header.pushed_tag)) return false;
  transfer->tag = header.pushed_tag;
  std::uint64_t total = 0;
  for (const auto& info : infos) {
    transfer->sizes.push_back(info.size);
    total += std::min(info.size, limits_[from].pushed_bytes + 1);
  }
  if (transfer->is_pushed() && total > limits_[from].pushed_bytes) return false;
  {
    std::lock_guard guard(lock_);
    announced_in_.emplace(id, std::move(transfer));
  }
  sink.on_large(RankId(from), id, payload.subspan(infos_size), infos);
  return true;
}

bool Rendezvous::on_clear(std::uint32_t from, std::span<const std::byte> payload) {
  ClearBody body;
  if (!wire::read(payload, body) || body.tag == 0 || body.tag > slots) return false;
  auto transfer = take_outgoing(body.number, from);
  if (!transfer) return false;
  transfer->tag = body.tag;
  start_sending(std::move(transfer));
  add_work(1);
  return true;
}

void Rendezvous::start_sending(OutgoingPointer transfer) {
  std::vector<MutableSegment> segments;
  segments.reserve(transfer->frame.segments.size());
  for (const auto& segment : transfer->frame.segments) {
    segments.push_back({const_cast<std::byte*>(segment.data), segment.info.size});  // MPI only reads it
  }
  transfer->stream = std::make_unique<ChunkStream>(std::move(segments), limits_[transfer->to]);
  sending_.push_back(std::move(transfer));
}

void Rendezvous::start_pushed() {
  if (!has_unstarted()) return;
  {
    std::lock_guard guard(lock_);
    fresh_pushes_.swap(pushed_);
    unstarted_.store(0, std::memory_order_relaxed);
  }
  for (auto& transfer : fresh_pushes_) {
    if (!gone_[transfer->to]) {
      start_sending(std::move(transfer));
      advance(*sending_.back());
      continue;
    }
    free_push_tag(*transfer);
    std::lock_guard guard(lock_);
    returned_.push_back(std::move(transfer));
  }
  fresh_pushes_.clear();
}

bool Rendezvous::on_refuse(std::uint32_t from, std::span<const std::byte> payload) {
  RefuseBody body;
  if (!wire::read(payload, body)) return false;
  auto transfer = take_outgoing(body.number, from);
  if (!transfer) return false;
  std::lock_guard guard(lock_);
  returned_.push_back(std::move(transfer));
  add_work(1);
  return true;
}

int Rendezvous::progress(FrameSink& sink) {
  start_pushed();
  collect_answers();
  start_waiting();
  return progress_incoming(sink) + progress_outgoing(sink) + give_back(sink);
}

void Rendezvous::collect_answers() {
  {
    std::lock_guard guard(lock_);
    fresh_answers_.swap(answered_);
  }
  for (auto& transfer : fresh_answers_) {
    if (transfer->is_pushed()) {
      if (transfer->refused) receive_unwanted(*transfer);
      start_receiving(std::move(transfer));
      continue;
    }
    if (!transfer->refused) {
      waiting_.push_back(std::move(transfer));
      continue;
    }
    const RefuseBody body{transfer->number};
    outbox_.append_own(transfer->from, FrameClass::control, own_frames::refuse, bytes_of(body), {});
    add_work(-1);
  }
  fresh_answers_.clear();
}

void Rendezvous::start_waiting() {
  while (!waiting_.empty() && !free_slots_.empty()) {
    auto transfer = std::move(waiting_.front());
    waiting_.pop_front();
    transfer->tag = free_slots_.back();
    free_slots_.pop_back();
    const std::uint32_t from = transfer->from;
    const ClearBody body{.number = transfer->number, .tag = transfer->tag};
    start_receiving(std::move(transfer));  // first the receives, then the word
    outbox_.append_own(from, FrameClass::control, own_frames::clear, bytes_of(body), {});
  }
}

void Rendezvous::start_receiving(IncomingPointer transfer) {
  transfer->stream = std::make_unique<ChunkStream>(std::move(transfer->destinations), limits_[transfer->from]);
  advance(*transfer);
  receiving_.push_back(std::move(transfer));
}

// What is under way must go somewhere.
void Rendezvous::receive_unwanted(Incoming& transfer) {
  const std::uint64_t total = std::accumulate(transfer.sizes.begin(), transfer.sizes.end(), std::uint64_t{0});
  transfer.unwanted = std::make_shared<std::vector<std::byte>>(total);
  transfer.destinations.clear();
  std::byte* at = transfer.unwanted->data();
  for (const std::uint64_t size : transfer.sizes) {
    transfer.destinations.push_back({at, size});
    at += size;
  }
}

bool Rendezvous::advance(Incoming& transfer) {
  return transfer.stream->progress([&](std::byte* data, int size, MPI_Request* request) {
    return MPI_Irecv(data, size, MPI_BYTE, static_cast<int>(transfer.from), static_cast<int>(transfer.tag),
                     communicator_, request);
  });
}

bool Rendezvous::advance(Outgoing& transfer) {
  const auto start = transfer.is_pushed() ? MPI_Issend : MPI_Isend;
  return transfer.stream->progress([&](const std::byte* data, int size, MPI_Request* request) {
    return start(data, size, MPI_BYTE, static_cast<int>(transfer.to), static_cast<int>(transfer.tag), communicator_,
                 request);
  });
}

int Rendezvous::progress_incoming(FrameSink& sink) {
  int ended = 0;
  for (std::size_t i = 0; i < receiving_.size();) {
    if (!advance(*receiving_[i])) {
      ++i;
      continue;
    }
    const IncomingPointer transfer = std::exchange(receiving_[i], std::move(receiving_.back()));
    receiving_.pop_back();
    if (!transfer->is_pushed()) free_slots_.push_back(transfer->tag);
    add_work(-1);
    ++ended;
    if (!transfer->refused) sink.on_large_received(transfer->id);
  }
  if (ended > 0) start_waiting();
  return ended;
}

void Rendezvous::free_push_tag(const Outgoing& transfer) {
  if (!transfer.is_pushed()) return;
  std::lock_guard guard(lock_);
  free_push_tags_.push_back(transfer.tag);
}

int Rendezvous::progress_outgoing(FrameSink& sink) {
  int ended = 0;
  for (std::size_t i = 0; i < sending_.size();) {
    if (!advance(*sending_[i])) {
      ++i;
      continue;
    }
    auto transfer = std::exchange(sending_[i], std::move(sending_.back()));
    sending_.pop_back();
    free_push_tag(*transfer);
    add_work(-1);
    ++ended;
    sink.on_sent(RankId(transfer->to), std::move(transfer->frame));
  }
  return ended;
}

int Rendezvous::give_back(FrameSink& sink) {
  std::vector<OutgoingPointer> returned;
  {
    std::lock_guard guard(lock_);
    returned.swap(returned_);
  }
  for (auto& transfer : returned) {
    add_work(-1);
    sink.on_sent(RankId(transfer->to), std::move(transfer->frame));
  }
  return static_cast<int>(returned.size());
}

// What was announced to or by the peer and has not begun to stream.
std::vector<Rendezvous::OutgoingPointer> Rendezvous::forget_announced(std::uint32_t peer) {
  std::vector<OutgoingPointer> outgoing;
  std::lock_guard guard(lock_);
  for (auto at = announced_out_.begin(); at != announced_out_.end();) {
    if (at->second->to != peer) {
      ++at;
      continue;
    }
    outgoing.push_back(std::move(at->second));
    at = announced_out_.erase(at);
  }
  std::erase_if(announced_in_, [&](const auto& entry) { return entry.second->from == peer; });
  gone_[peer] = true;
  return outgoing;
}

void Rendezvous::drop_incoming(std::uint32_t peer) {
  const auto from_peer = [&](const IncomingPointer& transfer) { return transfer->from == peer; };
  add_work(-static_cast<int>(std::erase_if(waiting_, from_peer)));
  for (auto& transfer : receiving_) {
    if (!from_peer(transfer)) continue;
    if (!transfer->stream->cancel()) {
      stuck_memory_.push_back(std::move(transfer->unwanted));
      stuck_streams_.push_back(std::move(transfer->stream));
    } else if (!transfer->is_pushed()) {
      free_slots_.push_back(transfer->tag);
    }
  }
  add_work(-static_cast<int>(std::erase_if(receiving_, from_peer)));
}

void Rendezvous::drop_peer(std::uint32_t peer, FrameSink& sink) {
  std::vector<OutgoingPointer> outgoing = forget_announced(peer);
  collect_answers();
  drop_incoming(peer);
  for (auto& transfer : sending_) {
    if (transfer->to != peer) continue;
    if (!transfer->stream->idle()) {
      stuck_memory_.push_back(transfer->frame.keep_alive);
      stuck_streams_.push_back(std::move(transfer->stream));
    }
    free_push_tag(*transfer);  // to the others it means nothing what this peer has not matched
    outgoing.push_back(std::move(transfer));
    add_work(-1);
  }
  std::erase(sending_, nullptr);
  for (auto& transfer : outgoing) sink.on_sent(RankId(peer), std::move(transfer->frame));
}

}  // namespace slipway::detail
