// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

// Where the cluster scheduler is, and that of gangs.
inline constexpr RankId cluster_rank{0};

// What the cluster scheduler knows of a rank.
struct RankLoad {
  bool offers = false;  // it has more tasks than it can run
  RankId lent_to;       // a rank with nothing to do: who may use it; none: nobody
};
struct LeaseChange {
  RankId lender;
  RankId from;  // none: nobody used it
  RankId to;    // none: nobody will
};

// Which ranks are to be lent to whom from now on: each rank that offers nothing to one that does, and as evenly as it
// goes with few changes. Depends on nothing but its argument; in order of ranks.
std::vector<LeaseChange> decide_leases(const std::vector<RankLoad>& loads);

// On one rank: who has tasks to give, who has time. Any thread.
class ClusterScheduler {
 public:
  explicit ClusterScheduler(std::uint32_t ranks) : loads_(ranks), periods_(ranks) {}

  struct Message {
    RankId to;
    RankId lender;
    bool lease = false;  // else the lease ends
    std::uint32_t period = 0;
    std::uint64_t version = 0;  // of all that is told, so that what is overtaken can be left out
  };
  // The rank's news; what is to be told to whom. News that others have overtaken change nothing.
  std::vector<Message> offers(RankId rank, std::uint32_t period) { return take_news(rank, period, true); }
  std::vector<Message> is_idle(RankId rank, std::uint32_t period) { return take_news(rank, period, false); }

 private:
  std::vector<Message> take_news(RankId rank, std::uint32_t period, bool offers);
  void set_load(RankId rank, bool offers, std::vector<Message>& messages);  // with lock_

  seam::SpinLock lock_;  // guards what follows
  std::vector<RankLoad> loads_;
  std::uint64_t version_ = 0;
  std::vector<std::uint32_t> periods_;  // twice the number of the latest news, and one more once the rank is idle
};

}  // namespace slipway::detail
