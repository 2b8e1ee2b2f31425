// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "world_state.hpp"

namespace slipway::local {

// One rank's view of the world.
class TransportOfRank final : public Transport {
 public:
  TransportOfRank(std::shared_ptr<WorldState> world, RankId rank);
  ~TransportOfRank() override;

  RankId rank() const override { return rank_; }
  std::uint32_t size() const override { return world_->size(); }
  const std::vector<HostId>& host_of_rank() const override { return world_->host_of_rank(); }
  const std::vector<std::string>& host_names() const override { return world_->host_names(); }
  std::string describe() const override;
  std::size_t max_small_frame() const override { return world_->options().max_small_frame; }

  std::vector<std::string> all_gather(const std::string& mine, seam::Time deadline) override;

  bool send(RankId to, FrameClass frame_class, std::span<const std::byte> head,
            std::span<const std::byte> body) override;
  void send_large(RankId to, LargeFrame frame) override;
  void accept(TransferId transfer, std::vector<MutableSegment> destinations) override;
  void refuse(TransferId transfer) override;

  int poll(FrameSink& sink) override;
  void flush() override { flush_links(); }
  bool has_queued() const override { return false; }
  bool has_unsent() const override;

  std::uint32_t arm_bell() override { return self_.bell.arm(); }
  bool wait_bell(std::uint32_t ticket, seam::Time deadline) override;
  void disarm_bell() override { self_.bell.disarm(); }
  void ring_own_bell() override { self_.bell.ring(); }

  void close() override;
  void announce_death(int status, const char* last_words) noexcept override;

 private:
  void ring(RankId peer);
  void hand_back(Transfer& transfer);

  // The parts of poll; each returns the number of its events.
  int flush_links();
  int take_from_all(FrameSink& sink);
  int take_in_chosen_order(FrameSink& sink);
  int take_from(RankId peer, FrameSink& sink);
  bool take_batch(RankId peer, Link& link, std::span<const std::byte> bytes, FrameSink& sink, int& events);
  void announce_large(RankId peer, TransferId id, FrameSink& sink);
  int do_chores(FrameSink& sink);
  int hand_over_sent(FrameSink& sink);
  int copy_segments(FrameSink& sink);
  bool copy_chunk(Transfer& transfer, std::uint64_t& budget);
  int report_losses(FrameSink& sink);
  void report_loss(RankId peer, const std::string& reason, FrameSink& sink);

  const std::shared_ptr<WorldState> world_;
  const RankId rank_;
  Endpoint& self_;
  const bool has_remote_peers_;
  bool closed_ = false;
  std::size_t gather_round_ = 0;

  // The turn's.
  std::uint32_t seen_losses_ = 0;
  std::vector<bool> reported_lost_;
  std::vector<RankId> with_news_;
  std::vector<std::pair<RankId, LargeFrame>> sent_;
  std::deque<TransferId> copies_;
  seam::Time held_until_ = seam::never;

  // Read by other threads too.
  std::atomic<std::size_t> copies_left_{0};
  std::atomic<seam::Time> next_arrival_{seam::never};  // of frames that are held back
  std::atomic<seam::Time> remote_nap_;
};

}  // namespace slipway::local
