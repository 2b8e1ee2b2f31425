// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// The cluster scheduler's decisions, over loads of many ranks.
#include "../../core/tasks/src/cluster_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace slipway::detail {
namespace {

std::vector<std::uint32_t> leases_of(const std::vector<RankLoad>& loads) {
  std::vector<std::uint32_t> held(loads.size());
  for (const RankLoad& load : loads) {
    if (load.lent_to) ++held[load.lent_to.index()];
  }
  return held;
}

void carry_out(std::vector<RankLoad>& loads, const std::vector<LeaseChange>& changes) {
  for (const LeaseChange& change : changes) {
    EXPECT_EQ(loads[change.lender.index()].lent_to, change.from);
    loads[change.lender.index()].lent_to = change.to;
  }
}

void expect_fair(const std::vector<RankLoad>& loads) {
  const bool any_offers = std::any_of(loads.begin(), loads.end(), [](const RankLoad& load) { return load.offers; });
  const auto held = leases_of(loads);
  std::uint32_t fewest = ~0U;
  std::uint32_t most = 0;
  for (std::size_t rank = 0; rank < loads.size(); ++rank) {
    if (loads[rank].offers) {
      EXPECT_FALSE(loads[rank].lent_to) << "a rank with tasks of its own is lent";
      fewest = std::min(fewest, held[rank]);
      most = std::max(most, held[rank]);
    } else {
      EXPECT_EQ(held[rank], 0U) << "a rank without tasks has leases";
      EXPECT_EQ(static_cast<bool>(loads[rank].lent_to), any_offers) << "a rank has time, and nobody may use it";
    }
  }
  if (!any_offers) return;
  EXPECT_LE(most, fewest + 1);
}

TEST(ClusterScheduler, LendsWhoHasTimeToWhoHasTasks) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<RankLoad> loads(1 + random() % 64);
    for (int news = 0; news < 20; ++news) {
      RankLoad& load = loads[random() % loads.size()];
      load.offers = !load.offers;
      carry_out(loads, decide_leases(loads));
      expect_fair(loads);
      EXPECT_TRUE(decide_leases(loads).empty()) << "it changes its mind without news";
    }
  }
}

TEST(ClusterScheduler, ChangesFewLeases) {
  std::vector<RankLoad> loads(100);
  loads[7].offers = true;
  EXPECT_EQ(decide_leases(loads).size(), 99U);
  carry_out(loads, decide_leases(loads));
  loads[8].offers = true;  // its own lease ends, and half of the others change hands
  const auto changes = decide_leases(loads);
  EXPECT_EQ(changes.size(), 1U + 49U);
  carry_out(loads, changes);
  expect_fair(loads);
}

TEST(ClusterScheduler, TellsEachNewsOnceAndNoneThatIsOvertaken) {
  ClusterScheduler scheduler(3);
  const auto first = scheduler.offers(RankId(1), 1);
  ASSERT_EQ(first.size(), 2U);
  for (const auto& message : first) {
    EXPECT_EQ(message.to, RankId(1));
    EXPECT_TRUE(message.lease);
    EXPECT_EQ(message.period, 1U);
  }
  EXPECT_LT(first[0].version, first[1].version);
  EXPECT_TRUE(scheduler.offers(RankId(1), 1).empty());
  EXPECT_TRUE(scheduler.is_idle(RankId(1), 2).empty());  // gives all back by itself
  EXPECT_TRUE(scheduler.offers(RankId(1), 2).empty()) << "it came after the news that this offer was over";
  const auto again = scheduler.offers(RankId(1), 3);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].period, 3U);
  EXPECT_GT(again[0].version, first[1].version);
  const auto called_back = scheduler.offers(RankId(2), 1);
  ASSERT_EQ(called_back.size(), 1U);
  EXPECT_FALSE(called_back[0].lease);
  EXPECT_EQ(called_back[0].lender, RankId(2));
}

TEST(ClusterScheduler, ManyRanks) {
  std::vector<RankLoad> loads(10'000);
  for (std::size_t rank = 0; rank < loads.size(); rank += 50) loads[rank].offers = true;
  carry_out(loads, decide_leases(loads));
  expect_fair(loads);
}

}  // namespace
}  // namespace slipway::detail
