// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "credits.hpp"
#include "doorbell.hpp"
#include "hosts.hpp"
#include "liveness.hpp"
#include "outbox.hpp"
#include "receive_ring.hpp"
#include "rendezvous.hpp"
#include "send_queue.hpp"
#include "slipway/mpi/mpi_transport.hpp"

namespace slipway::detail {

// One rank's end of the MPI transport. Everything that calls MPI after construction happens in `poll`, with the turn;
// but for communicators of user code, which need MPI_THREAD_MULTIPLE.
class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm communicator, const MpiOptions& options);
  ~MpiTransport() override;

  RankId rank() const override { return RankId(rank_); }
  std::uint32_t size() const override { return size_; }
  const std::vector<HostId>& host_of_rank() const override { return hosts_.host_of_rank; }
  const std::vector<std::string>& host_names() const override { return hosts_.names; }
  std::string describe() const override;
  std::size_t max_small_frame() const override;
  std::vector<std::string> all_gather(const std::string& mine, seam::Time deadline) override;

  bool send(RankId to, FrameClass frame_class, std::span<const std::byte> head,
            std::span<const std::byte> body) override {
    return outbox_->append(to.value(), frame_class, head, body);
  }
  void send_large(RankId to, LargeFrame frame) override { rendezvous_->send(to.value(), std::move(frame)); }
  void accept(TransferId transfer, std::vector<MutableSegment> destinations) override {
    rendezvous_->accept(transfer, std::move(destinations));
  }
  void refuse(TransferId transfer) override { rendezvous_->refuse(transfer); }

  int poll(FrameSink& sink) override;
  void flush() override;
  bool has_queued() const override { return outbox_->has_listed() || rendezvous_->has_unstarted(); }
  bool has_unsent() const override {
    return outbox_->has_listed() || send_queue_->unfinished() > 0 || rendezvous_->has_work();
  }

  std::uint32_t arm_bell() override;
  bool wait_bell(std::uint32_t ticket, seam::Time deadline) override;
  void disarm_bell() override { doorbell_->disarm(); }
  void ring_own_bell() override { doorbell_->ring_own(); }

  std::shared_ptr<const std::any> make_communicator(const std::vector<RankId>& ranks, std::uint64_t name) override;

  void close() override;
  void announce_death(int status, const char* last_words) noexcept override {
    doorbell_->announce_death(status, last_words);
  }

 private:
  int take_batches(FrameSink& sink);
  bool test_ring(ReceivedBatch& batch);
  void deliver(const ReceivedBatch& batch, FrameSink& sink);
  void deliver_mixed(std::uint32_t from, std::span<const std::byte> frames, FrameSink& sink);
  bool take_own_frame(std::uint32_t from, const wire::FrameCursor& frame, FrameSink& sink);
  int settle_and_flush();
  int keep_house(FrameSink& sink);
  void look_around_soon() { polls_until_housekeeping_.store(1, std::memory_order_relaxed); }
  void lose(const Liveness::Loss& loss, FrameSink& sink);
  void ask_for_help_against(std::uint32_t peer);
  seam::Time longest_sleep();
  bool quiesce(seam::Time deadline);
  void free_communicators();

  MpiOptions options_;
  std::uint32_t rank_ = 0;
  std::uint32_t size_ = 1;
  MPI_Comm frames_ = MPI_COMM_NULL;
  MPI_Comm chunks_ = MPI_COMM_NULL;
  bool threads_may_call_ = false;  // MPI_THREAD_MULTIPLE
  HostMap hosts_;
  std::unique_ptr<Outbox> outbox_;
  CreditBook credits_;
  std::unique_ptr<Doorbell> doorbell_;
  std::vector<Doorbell::Cell*> bells_;  // by rank; null: cannot be rung
  std::unique_ptr<SendQueue> send_queue_;
  std::unique_ptr<Rendezvous> rendezvous_;
  std::unique_ptr<ReceiveRing> ring_;
  std::unique_ptr<Liveness> liveness_;

  bool found_last_time_ = false;  // the last poll took a batch
  std::vector<bool> dead_;
  bool any_dead_ = false;
  bool unrung_peers_ = false;  // some peers cannot ring this rank
  std::atomic<int> polls_until_housekeeping_{1};
  seam::Time next_loan_check_ = 0;
  std::atomic<seam::Time> nap_;
  bool closed_ = false;
};

}  // namespace slipway::detail
