// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "cluster_scheduler.hpp"

#include <algorithm>
#include <mutex>

namespace slipway::detail {

namespace {

// Leases by who holds them, while they are changed.
class Plan {
 public:
  explicit Plan(const std::vector<RankLoad>& loads) : loads_(loads), held_(loads.size()), to_(loads.size()) {
    for (std::size_t rank = 0; rank < loads.size(); ++rank) {
      if (loads[rank].offers) takers_.push_back(RankId(static_cast<std::uint32_t>(rank)));
    }
    for (std::size_t rank = 0; rank < loads.size(); ++rank) {
      const RankId holder = loads[rank].lent_to;
      if (loads[rank].offers || !holder || !loads[holder.index()].offers) continue;
      give(rank, holder);
    }
  }

  // Those that nobody uses go to who has the fewest.
  void lend_free() {
    if (takers_.empty()) return;
    for (std::size_t rank = 0; rank < loads_.size(); ++rank) {
      if (!loads_[rank].offers && !to_[rank]) give(rank, poorest());
    }
  }
  // Until nobody has two more than another.
  void level() {
    while (takers_.size() > 1) {
      const RankId poor = poorest();
      const RankId rich = richest();
      if (held_[rich.index()] < held_[poor.index()] + 2) return;
      const auto lender = std::find(to_.rbegin(), to_.rend(), rich);
      --held_[rich.index()];
      give(static_cast<std::size_t>(std::prev(lender.base()) - to_.begin()), poor);
    }
  }
  std::vector<LeaseChange> changes() const {
    std::vector<LeaseChange> changes;
    for (std::size_t rank = 0; rank < loads_.size(); ++rank) {
      if (to_[rank] == loads_[rank].lent_to) continue;
      changes.push_back({RankId(static_cast<std::uint32_t>(rank)), loads_[rank].lent_to, to_[rank]});
    }
    return changes;
  }

 private:
  void give(std::size_t lender, RankId taker) {
    to_[lender] = taker;
    ++held_[taker.index()];
  }
  RankId poorest() const {
    return *std::min_element(takers_.begin(), takers_.end(), [this](RankId a, RankId b) { return has_fewer(a, b); });
  }
  RankId richest() const {
    return *std::max_element(takers_.begin(), takers_.end(), [this](RankId a, RankId b) { return has_fewer(a, b); });
  }
  bool has_fewer(RankId a, RankId b) const { return held_[a.index()] < held_[b.index()]; }

  const std::vector<RankLoad>& loads_;
  std::vector<std::uint32_t> held_;  // by holder
  std::vector<RankId> to_;           // by lender
  std::vector<RankId> takers_;
};

}  // namespace

std::vector<LeaseChange> decide_leases(const std::vector<RankLoad>& loads) {
  Plan plan(loads);
  plan.lend_free();
  plan.level();
  return plan.changes();
}

std::vector<ClusterScheduler::Message> ClusterScheduler::take_news(RankId rank, std::uint32_t period, bool offers) {
  const std::lock_guard guard(lock_);
  const std::uint32_t news = 2 * period + (offers ? 0 : 1);
  std::uint32_t& latest = periods_[rank.index()];
  if (news <= latest) return {};
  latest = news;
  std::vector<Message> messages;
  // Between two offers it was idle, and gave all back; that news has been overtaken.
  if (offers && loads_[rank.index()].offers) set_load(rank, false, messages);
  set_load(rank, offers, messages);
  return messages;
}

void ClusterScheduler::set_load(RankId rank, bool offers, std::vector<Message>& messages) {
  loads_[rank.index()].offers = offers;
  for (const LeaseChange& change : decide_leases(loads_)) {
    loads_[change.lender.index()].lent_to = change.to;
    const auto period_of = [this](RankId holder) { return periods_[holder.index()] / 2; };
    if (change.from && loads_[change.from.index()].offers) {
      messages.push_back({change.from, change.lender, false, period_of(change.from), ++version_});
    }
    if (change.to) messages.push_back({change.to, change.lender, true, period_of(change.to), ++version_});
  }
}

}  // namespace slipway::detail
