// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bell.hpp"
#include "link.hpp"
#include "slipway/local/local_transport.hpp"
#include "transfer_table.hpp"

namespace slipway::local {

// What all see of one rank.
struct Endpoint {
  // What its next poll has to do, beside looking at the links.
  enum Chore : std::uint32_t { hand_over_sent = 1, start_copies = 2 };

  void add_chore(Chore chore) { chores.fetch_or(chore, std::memory_order_seq_cst); }

  Bell bell;
  alignas(64) std::atomic<std::uint32_t> chores{0};
  std::atomic<int> starving_links{0};  // links from this rank where frames wait for room
  TransferTable incoming;

  alignas(64) seam::SpinLock lock;  // of the two lists
  std::vector<std::pair<RankId, LargeFrame>> sent;
  std::vector<TransferId> accepted;

  // Set once. `last_words` is written before `lost`.
  std::atomic<bool> loss_claimed{false};
  std::atomic<bool> lost{false};
  std::array<char, 512> last_words{};

  bool taken = false;  // its transport has been made
};

class WorldState {
 public:
  WorldState(std::uint32_t size, const LocalWorldOptions& options);

  const LocalWorldOptions& options() const { return options_; }
  std::uint32_t size() const { return size_; }
  const std::vector<HostId>& host_of_rank() const { return host_of_rank_; }
  const std::vector<std::string>& host_names() const { return host_names_; }
  bool same_host(RankId a, RankId b) const { return host_of_rank_[a.index()] == host_of_rank_[b.index()]; }

  Endpoint& endpoint(RankId rank) { return *endpoints_[rank.index()]; }
  Link& link(RankId from, RankId to) { return *links_[from.index() * size_ + to.index()]; }
  // Throws UsageError when there is no such rank or it has been taken.
  void take(RankId rank);

  // Gives a large frame that is done with back to its sender. Any thread.
  void hand_back(RankId from, RankId to, LargeFrame frame);

  // Marks the rank lost; each rank finds out in its next poll. Safe in a signal handler. Said once, later calls are
  // void.
  void lose(RankId rank, const char* reason) noexcept;
  // Grows with each loss.
  std::uint32_t losses() const { return losses_.load(std::memory_order_acquire); }

  std::vector<std::string> gather(RankId rank, std::size_t round, const std::string& mine, seam::Time deadline);

 private:
  struct Round {
    std::vector<std::optional<std::string>> texts;
    std::size_t missing = 0;
  };

  std::vector<std::string> missing_ranks(std::size_t round);

  const std::uint32_t size_;
  const LocalWorldOptions options_;
  std::vector<HostId> host_of_rank_;
  std::vector<std::string> host_names_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<std::unique_ptr<Link>> links_;
  std::atomic<std::uint32_t> losses_{0};

  seam::SpinLock gather_lock_;
  std::vector<Round> rounds_;
  seam::Word gather_steps_{0};  // grows with each text and each loss
};

}  // namespace slipway::local
