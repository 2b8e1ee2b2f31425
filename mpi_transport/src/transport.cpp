// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "transport.hpp"

#include <algorithm>
#include <utility>

#include "agreement.hpp"
#include "checked_mpi.hpp"
#include "closing_sink.hpp"
#include "environment.hpp"
#include "own_frames.hpp"
#include "process_failure.hpp"
#include "slipway/mpi/library.hpp"
#include "user_communicator.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time microsecond = 1'000;
constexpr seam::Time millisecond = 1'000 * microsecond;
constexpr int batches_a_poll = 32;
constexpr std::size_t filled_batch = 1'024;  // bytes
constexpr int polls_between_housekeeping = 1'024;
constexpr seam::Time busy_nap = 50 * microsecond;      // MPI has work that only polls advance
constexpr seam::Time shortest_nap = 50 * microsecond;  // peers on other hosts, just heard of
constexpr seam::Time longest_nap = millisecond;        // peers on other hosts, silent
constexpr seam::Time safety_nap = 100 * millisecond;   // all peers ring
constexpr seam::Time loan_check_every = 1'000 * millisecond;

std::uint32_t rank_in(MPI_Comm communicator) {
  int rank = 0;
  check(MPI_Comm_rank(communicator, &rank));
  return static_cast<std::uint32_t>(rank);
}

std::uint32_t size_of(MPI_Comm communicator) {
  int size = 0;
  check(MPI_Comm_size(communicator, &size));
  return static_cast<std::uint32_t>(size);
}

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level));
  return level;
}

void refuse_small_tags(MPI_Comm communicator) {
  int* bound = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(communicator, MPI_TAG_UB, &bound, &found));
  constexpr int needed = static_cast<int>(Rendezvous::largest_tag) + 1;
  if (found && *bound < needed) {
    throw Error("this MPI allows tags up to " + std::to_string(*bound) + " only (slipway uses " +
                std::to_string(needed) + "); use an MPI that follows the standard");
  }
}

// Shared memory gains from long copies (0.99 of one message's bandwidth at 4 MiB, 0.93 at 1 MiB), TCP from short ones.
std::vector<ChunkLimits> chunk_limits(const MpiOptions& options, const HostMap& hosts) {
  constexpr std::size_t on_one_host = std::size_t{4} << 20;
  constexpr std::size_t between_hosts = std::size_t{1} << 20;
  constexpr std::size_t largest = std::size_t{1} << 30;           // MPI counts in int
  constexpr std::uint64_t largest_push = std::uint64_t{1} << 20;  // beyond, the way to ask is a small part
  std::vector<ChunkLimits> limits(hosts.host_of_rank.size(), ChunkLimits{options.chunk_bytes, 1});
  for (std::size_t rank = 0; rank < limits.size(); ++rank) {
    const bool near = std::count(hosts.neighbours.begin(), hosts.neighbours.end(), rank) > 0;
    if (limits[rank].bytes == 0) limits[rank].bytes = near ? on_one_host : between_hosts;
    if (near) limits[rank].pushed_bytes = largest_push;
    limits[rank].bytes = std::min(limits[rank].bytes, largest);
    limits[rank].in_flight = std::max(options.chunks_in_flight, 1u);
  }
  return limits;
}

}  // namespace

MpiTransport::MpiTransport(MPI_Comm communicator, const MpiOptions& options)
    : options_(options),
      rank_(rank_in(communicator)),
      size_(size_of(communicator)),
      outbox_(std::make_unique<Outbox>(size_, initial_credits(size_, options.unexpected_limit))),
      credits_(size_, options.unexpected_limit),
      bells_(size_, nullptr),
      dead_(size_, false),
      nap_(shortest_nap) {
  const seam::Time deadline = seam::limit_after(options.start_limit);
  threads_may_call_ = thread_level() == MPI_THREAD_MULTIPLE;
  refuse_small_tags(communicator);
  frames_ = duplicate(communicator, "slipway frames", deadline);
  chunks_ = duplicate(communicator, "slipway chunks", deadline);
  hosts_ = find_hosts(frames_, options.fake_hosts, deadline);
  doorbell_ = std::make_unique<Doorbell>(hosts_.communicator, deadline);
  if (doorbell_->shared()) {
    for (std::uint32_t i = 0; i < doorbell_->count(); ++i) bells_[hosts_.neighbours[i]] = &doorbell_->cell(i);
  }
  unrung_peers_ = std::count(bells_.begin(), bells_.end(), nullptr) > 0 && size_ > 1;
  send_queue_ = std::make_unique<SendQueue>(frames_, *outbox_, credits_, bells_);
  rendezvous_ = std::make_unique<Rendezvous>(chunks_, *outbox_, chunk_limits(options, hosts_));
  ring_ = std::make_unique<ReceiveRing>(frames_, options.receive_slots);
  liveness_ = std::make_unique<Liveness>(rank_, hosts_, *doorbell_, *outbox_, frames_, options.detection_limit.count());
}

MpiTransport::~MpiTransport() {
  if (closed_) return;
  declare_mpi_unhealthy();
  // MPI may still read and write these, until the process ends.
  static std::vector<std::shared_ptr<void>> graveyard;
  graveyard.emplace_back(std::move(ring_));
  graveyard.emplace_back(std::move(rendezvous_));
  graveyard.emplace_back(std::move(outbox_));
}

std::string MpiTransport::describe() const {
  return mpi_library() + ", " + thread_level_name(thread_level()) + ", " + std::to_string(size_) + " ranks on " +
         std::to_string(hosts_.names.size()) + (hosts_.names.size() == 1 ? " host" : " hosts") +
         (doorbell_->shared() ? "" : ", without shared memory of its own") +
         (fault_tolerance_on() ? ", fault tolerant" : "");
}

std::size_t MpiTransport::max_small_frame() const {
  return batch_bytes - sizeof(BatchHeader) - sizeof(wire::FrameHeader) - sizeof(AnnounceHeader);
}

std::vector<std::string> MpiTransport::all_gather(const std::string& mine, seam::Time deadline) {
  return gather_texts(frames_, mine, deadline, [this] {
    const auto losses = liveness_->check(seam::now());
    if (!losses.empty()) throw Error("the start failed: " + losses.front().reason);
  });
}

int MpiTransport::poll(FrameSink& sink) {
  int events = send_queue_->flush();
  events += take_batches(sink);
  if (rendezvous_->has_work()) [[unlikely]]
    events += rendezvous_->progress(sink);
  events += settle_and_flush();
  events += send_queue_->complete();
  const int left = polls_until_housekeeping_.load(std::memory_order_relaxed) - 1;
  polls_until_housekeeping_.store(left, std::memory_order_relaxed);
  if (left <= 0) [[unlikely]]
    events += keep_house(sink);
  if (events > 0 && nap_.load(std::memory_order_relaxed) != shortest_nap) {
    nap_.store(shortest_nap, std::memory_order_relaxed);
  }
  return events;
}

void MpiTransport::flush() {
  send_queue_->flush();
  rendezvous_->start_pushed();
  send_queue_->complete();
  if (send_queue_->unfinished() > 0 || rendezvous_->has_work()) [[unlikely]]
    Doorbell::ring(doorbell_->own());  // whoever sleeps there does not know that it must poll
}

// After one small batch another is unlikely, and the look for it would delay what the caller does with this one; but
// where polls find something time after time, or a batch is well filled, more is on its way.
int MpiTransport::take_batches(FrameSink& sink) {
  ReceivedBatch batch;
  int taken = 0;
  while (taken < batches_a_poll && test_ring(batch)) {
    const bool more_likely = found_last_time_ || batch.bytes.size() > filled_batch;
    deliver(batch, sink);
    ++taken;
    if (!more_likely) break;
  }
  found_last_time_ = taken > 0;
  return taken;
}

bool MpiTransport::test_ring(ReceivedBatch& batch) {
  bool received = false;
  const int code = ring_->test(received, batch);
  if (code != MPI_SUCCESS) [[unlikely]] {
    if (!is_process_failure(code)) check(code);
    look_around_soon();
  }
  return received;
}

int MpiTransport::settle_and_flush() {
  credits_.settle([this](std::uint32_t peer) { outbox_->want_header(peer); });
  return send_queue_->flush();
}

void MpiTransport::deliver(const ReceivedBatch& batch, FrameSink& sink) {
  BatchHeader header;
  if (any_dead_ && dead_[batch.from]) return;
  if (!wire::read(batch.bytes, header)) return ask_for_help_against(batch.from);
  if ((header.credits | header.given_back) != 0) {
    outbox_->add_credits(batch.from, header.credits, std::min(header.loans, header.credits));
    credits_.given_back(batch.from, header.given_back);
  }
  const auto frames = batch.bytes.subspan(sizeof header);
  if ((header.flags & batch_transport_frames) != 0) [[unlikely]] {
    deliver_mixed(batch.from, frames, sink);
  } else if (!frames.empty()) {
    sink.on_frames(RankId(batch.from), frames);
  }
  if ((header.flags & batch_uses_credit) != 0) {
    credits_.received(batch.from, (header.flags & batch_wants_credit) != 0);
  }
}

// Hands runs of the core's frames to the sink and keeps the transport's own.
void MpiTransport::deliver_mixed(std::uint32_t from, std::span<const std::byte> frames, FrameSink& sink) {
  wire::FrameCursor cursor(frames);
  std::size_t run_start = 0;
  std::size_t at = 0;
  const auto end_run = [&] {
    if (at > run_start) sink.on_frames(RankId(from), frames.subspan(run_start, at - run_start));
  };
  while (cursor.next()) {
    if (cursor.header().kind < wire::FrameKind::transport_first) {
      at += cursor.frame().size();
      continue;
    }
    end_run();
    at += cursor.frame().size();
    run_start = at;
    if (!take_own_frame(from, cursor, sink)) return ask_for_help_against(from);
  }
  at = frames.size();  // a damaged rest is for the sink to judge
  end_run();
}

bool MpiTransport::take_own_frame(std::uint32_t from, const wire::FrameCursor& frame, FrameSink& sink) {
  const auto kind = frame.header().kind;
  if (kind == own_frames::announce) return rendezvous_->on_announce(from, frame.payload(), sink);
  if (kind == own_frames::clear) return rendezvous_->on_clear(from, frame.payload());
  if (kind == own_frames::refuse) return rendezvous_->on_refuse(from, frame.payload());
  if (kind == own_frames::heartbeat) return liveness_->on_heartbeat(from, frame.payload());
  if (kind != own_frames::loss) return false;
  look_around_soon();
  return liveness_->on_loss(frame.payload());
}

// A peer that sends nonsense can be trusted no more: it counts as lost.
void MpiTransport::ask_for_help_against(std::uint32_t peer) {
  liveness_->suspect(peer, "rank " + std::to_string(peer) + " sent bytes that make no sense");
  look_around_soon();
}

int MpiTransport::keep_house(FrameSink& sink) {
  polls_until_housekeeping_.store(polls_between_housekeeping, std::memory_order_relaxed);
  const seam::Time now = seam::now();
  const auto losses = liveness_->check(now);
  for (const auto& loss : losses) lose(loss, sink);
  if (now >= next_loan_check_) {
    next_loan_check_ = now + loan_check_every;
    for (std::uint32_t peer = 0; peer < size_; ++peer) outbox_->give_back_unused_loans(peer);
  }
  return static_cast<int>(losses.size());
}

void MpiTransport::lose(const Liveness::Loss& loss, FrameSink& sink) {
  declare_mpi_unhealthy();
  while (take_batches(sink) > 0) {  // what it said before it went
  }
  any_dead_ = true;
  dead_[loss.rank] = true;
  outbox_->declare_dead(loss.rank);
  send_queue_->abandon(loss.rank);
  rendezvous_->drop_peer(loss.rank, sink);
  sink.on_peer_lost(RankId(loss.rank), loss.reason);
}

std::uint32_t MpiTransport::arm_bell() {
  look_around_soon();
  return doorbell_->arm();
}

bool MpiTransport::wait_bell(std::uint32_t ticket, seam::Time deadline) {
  const seam::Time limit = seam::now() + longest_sleep();
  const bool rung = doorbell_->wait(ticket, std::min(deadline, limit));
  look_around_soon();
  return rung || limit < deadline;  // only the own limit has passed: the caller should look again
}

seam::Time MpiTransport::longest_sleep() {
  if (has_unsent()) return busy_nap;
  if (!unrung_peers_) return safety_nap;
  const seam::Time nap = nap_.load(std::memory_order_relaxed);
  nap_.store(std::min(nap * 2, longest_nap), std::memory_order_relaxed);
  return nap;
}

// All that was sent is received, on all ranks.
bool MpiTransport::quiesce(seam::Time deadline) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  ClosingSink nobody(*this);
  const auto drain = [this, &nobody] {
    ReceivedBatch leftover;
    while (test_ring(leftover)) deliver(leftover, nobody);
    if (rendezvous_->has_work()) rendezvous_->progress(nobody);
    send_queue_->flush();
    send_queue_->complete();
  };
  while (has_unsent() && seam::now() < deadline) {
    drain();
    seam::pause();
  }
  check(MPI_Ibarrier(frames_, &barrier));
  await(barrier, deadline, "the last barrier", drain);
  return !has_unsent();
}

void MpiTransport::close() {
  if (closed_) return;
  doorbell_->announce_close();
  if (any_dead_) return;  // MPI is left as it is; the process ends by _exit
  const seam::Time deadline = seam::after(options_.close_limit);
  const bool quiet = quiesce(deadline);
  if (!quiet || !ring_->cancel(deadline)) {
    throw Error("the transport could not be closed in time (messages are still under way); the process must _exit");
  }
  free_communicators();
  closed_ = true;
}

// Where the frames are, receives from any source are posted; chunks have the first tags.
std::shared_ptr<const std::any> MpiTransport::make_communicator(const std::vector<RankId>& ranks, std::uint64_t name) {
  return threads_may_call_ ? make_user_communicator(chunks_, static_cast<int>(Rendezvous::largest_tag) + 1, ranks, name)
                           : nullptr;
}

void MpiTransport::free_communicators() {
  for (MPI_Comm* communicator : {&hosts_.communicator, &chunks_, &frames_}) {
    if (*communicator != MPI_COMM_NULL) check(MPI_Comm_free(communicator));
  }
}

}  // namespace slipway::detail

namespace slipway {

std::unique_ptr<Transport> make_mpi_transport(const MpiOptions& options) {
  MPI_Comm communicator = MPI_COMM_WORLD;
  if (options.communicator) communicator = *static_cast<const MPI_Comm*>(options.communicator);
  int between_groups = 0;
  detail::check(MPI_Comm_test_inter(communicator, &between_groups));
  if (between_groups) {
    throw UsageError("an inter-communicator was given (its ranks are no one group); merge it by MPI_Intercomm_merge");
  }
  return std::make_unique<detail::MpiTransport>(communicator, options);
}

}  // namespace slipway
