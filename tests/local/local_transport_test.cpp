// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/local/local_transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/rank_under_test.hpp"
#include "main/local_ranks.hpp"
#include "slipway/base/error.hpp"

// What the in-process transport adds to the contract, and what the contract says of losses.
namespace slipway::test {
namespace {

using namespace std::chrono_literals;

LocalWorldOptions small_chunks() { return {.credits = 16, .chunk_bytes = 4096}; }

TEST(LocalTransport, GivesEachRankOnce) {
  LocalWorld world(2);
  const auto first = world.transport(RankId(0));
  EXPECT_THROW(world.transport(RankId(0)), UsageError);
  EXPECT_THROW(world.transport(RankId(2)), UsageError);
  const auto second = world.transport(RankId(1));
  EXPECT_EQ(second->rank(), RankId(1));
}

TEST(LocalTransport, RefusesUselessOptions) {
  EXPECT_THROW(LocalWorld(0), UsageError);
  EXPECT_THROW(LocalWorld(2, {.fake_hosts = 3}), UsageError);
  EXPECT_THROW(LocalWorld(2, {.max_small_frame = 8192, .link_bytes = 16'384}), UsageError);
  EXPECT_THROW(LocalWorld(2, {.link_bytes = 100'000}), UsageError);
  EXPECT_THROW(LocalWorld(2, {.credits = 0}), UsageError);
}

TEST(LocalTransport, RefusesFramesThatAreNotSmall) {
  LocalWorld world(1);
  const auto transport = world.transport(RankId(0));
  RankUnderTest rank(*transport);
  rank.send(RankId(0), FrameClass::request, 1, transport->max_small_frame() - sizeof(wire::FrameHeader));
  EXPECT_THROW(rank.send(RankId(0), FrameClass::request, 1, transport->max_small_frame()), Error);
}

TEST(LocalTransport, RefusesDestinationsThatDoNotFit) {
  LocalWorld world(1);
  const auto transport = world.transport(RankId(0));
  RankUnderTest rank(*transport);
  rank.on_large_do = RankUnderTest::OnLarge::hold;
  rank.send_large(RankId(0), FrameClass::request, 1, {100});
  rank.poll();
  ASSERT_EQ(rank.incomings.size(), 1U);
  std::vector<std::byte> memory(99);
  const TransferId transfer = rank.incomings.begin()->first;
  EXPECT_THROW(transport->accept(transfer, {}), Error);
  EXPECT_THROW(transport->accept(transfer, {{memory.data(), memory.size()}}), Error);
}

TEST(LocalTransport, CarriesFramesToItself) {
  run_on_local_ranks(small_chunks(), [](LocalWorld&, Transport& transport) {
    RankUnderTest rank(transport);
    const RankId self = transport.rank();
    for (std::uint64_t i = 0; i < 100; ++i) rank.send(self, FrameClass::request, i, i);
    rank.send_large(self, FrameClass::request, 100, {10'000});
    rank.sleep_until("all frames", [&] { return rank.arrived(self).size() == 101; });
    rank.sleep_until("the segment", [&] { return rank.count_received() == 1; });
    rank.sleep_until("the frame back", [&] { return rank.sent.size() == 1; });
    rank.meet();
  });
}

// Each step of a transfer rings the bell of the side that goes on from there; nothing else does here.
TEST(LocalTransport, StepsOfATransferRing) {
  run_on_local_ranks(small_chunks(), [](LocalWorld&, Transport& transport) {
    constexpr seam::Time silence = 100'000'000;
    RankUnderTest rank(transport);
    rank.on_large_do = RankUnderTest::OnLarge::hold;
    const seam::Time start = seam::now();
    if (rank.rank() == 0 && rank.size() > 1) {
      rank.send_large(RankId(1), FrameClass::request, 1, {10'000});
      rank.sleep_until("the frame back", [&] { return rank.sent.size() == 1; });
    }
    if (rank.rank() == 1) {
      rank.sleep_until("the announcement", [&] { return rank.incomings.size() == 1; });
      seam::Thread helper("helper", [&] { rank.accept(rank.incomings.begin()->first); });
      rank.sleep_until("the segment", [&] { return rank.count_received() == 1; });
    }
    if (seam::simulated()) {
      EXPECT_LT(seam::now() - start, silence) << "woken by something later";
    }
    seam::sleep_until(start + silence);
    rank.meet();
  });
}

// A link of four frames wraps at every place.
TEST(LocalTransport, LinkWrapsAnywhere) {
  const LocalWorldOptions tiny{.max_small_frame = 256, .link_bytes = 1024, .credits = 7};
  run_on_local_ranks(tiny, [](LocalWorld&, Transport& transport) {
    RankUnderTest rank(transport);
    const std::uint64_t count = seam::simulated() ? 60 : 5'000;
    for (std::uint64_t i = 0; i < count; ++i) {
      for (const RankId peer : rank.others()) {
        rank.send(peer, i % 2 == 0 ? FrameClass::request : FrameClass::reply, i, i * 37 % 241);
      }
    }
    for (const RankId peer : rank.others()) {
      rank.sleep_until("all frames", [&] { return rank.arrived(peer).size() == count; });
      EXPECT_EQ(rank.ids(peer, wire::FrameKind::request).size(), count / 2);
    }
    rank.meet();
  });
}

TEST(LocalTransport, GatherEndsAtItsDeadline) {
  run_on_local_ranks({}, [](LocalWorld&, Transport& transport) {
    if (transport.rank() != RankId(0)) {
      try {
        transport.all_gather("here", seam::after(30ms));
        ADD_FAILURE() << "gathered without rank 0";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("rank 0"), std::string::npos) << error.what();
      }
    }
    RankUnderTest(transport).meet();
  });
}

TEST(LocalTransport, GatherEndsWhenARankIsLost) {
  run_on_local_ranks({}, [](LocalWorld& world, Transport& transport) {
    if (transport.rank() == RankId(0)) return world.lose(RankId(0), "test");
    const seam::Time start = seam::now();
    EXPECT_THROW(transport.all_gather("here", seam::after(15s)), Error);
    EXPECT_LT(seam::now() - start, 10'000'000'000);
  });
}

TEST(LocalTransport, DelaysALinkInOrder) {
  run_on_local_ranks({}, [](LocalWorld& world, Transport& transport) {
    RankUnderTest rank(transport);
    constexpr seam::Time lag = 5'000'000;
    if (rank.rank() == 0 && rank.size() > 1) {
      world.delay(RankId(0), RankId(1), std::chrono::nanoseconds(lag));
      const seam::Time start = seam::now();
      for (std::uint64_t i = 0; i < 20; ++i) rank.send(RankId(1), FrameClass::request, i, 10);
      rank.send_large(RankId(1), FrameClass::request, 20, {10});
      // The answer comes back undelayed.
      rank.sleep_until("the answer", [&] { return !rank.arrived(RankId(1)).empty(); });
      EXPECT_GE(seam::now() - start, lag);
      EXPECT_LT(seam::now() - start, 1'000 * lag);
      world.delay(RankId(0), RankId(1), 0ns);
    }
    if (rank.rank() == 1) {
      rank.sleep_until("the late frames", [&] { return rank.arrived(RankId(0)).size() == 21; });
      for (std::uint64_t i = 0; i < 21; ++i) EXPECT_EQ(rank.arrived(RankId(0))[i].id, i);
      rank.send(RankId(0), FrameClass::reply, 0, 0);
    }
    rank.meet();
  });
}

// Losses -------------------------------------------------------------------------------------------------------------

// All send to all, small and large. Then the last rank ends by `end`; all others must hear of it and get their frames
// back.
void lose_last_rank_under_traffic(const std::function<void(LocalWorld&, Transport&)>& end, const std::string& reason) {
  run_on_local_ranks(small_chunks(), [&](LocalWorld& world, Transport& transport) {
    RankUnderTest rank(transport);
    rank.losses_expected = true;
    const RankId last(rank.size() - 1);
    std::vector<std::weak_ptr<void>> keep_alives;
    const auto send_to_all = [&](std::uint64_t id) {
      for (const RankId peer : rank.others()) {
        rank.send(peer, FrameClass::request, id, 10);
        keep_alives.push_back(rank.send_large(peer, FrameClass::reply, id + 1, {20'000}));
      }
      rank.poll();
    };
    for (std::uint64_t i = 0; i < 10; ++i) send_to_all(10 * i);
    if (transport.rank() == last) {
      end(world, transport);
      rank.poll_until("being cut off", [&] { return rank.lost.size() == rank.others().size(); });
    } else {
      rank.sleep_until("the loss", [&] { return rank.lost.contains(last); });
      EXPECT_NE(rank.lost[last].find(reason), std::string::npos) << rank.lost[last];
    }
    send_to_all(1'000);
    rank.poll_until("all frames back", [&] { return rank.sent.size() == keep_alives.size(); });
    rank.sent.clear();
    for (const auto& keep_alive : keep_alives) EXPECT_TRUE(keep_alive.expired());
    rank.meet();
  });
}

TEST(LocalTransport, LostRankIsToldToAll) {
  lose_last_rank_under_traffic(
      [](LocalWorld& world, Transport& transport) { world.lose(transport.rank(), "unplugged"); }, "unplugged");
}

TEST(LocalTransport, AnnouncedDeathIsToldToAll) {
  lose_last_rank_under_traffic(
      [](LocalWorld&, Transport& transport) { transport.announce_death(3, "divided by zero"); },
      "status 3: divided by zero");
}

TEST(LocalTransport, RankThatEndsWithoutCloseIsLost) {
  LocalWorld world(2);
  const auto stays = world.transport(RankId(0));
  RankUnderTest rank(*stays);
  rank.losses_expected = true;
  seam::Thread leaver("leaver", [&] { world.transport(RankId(1)); });
  rank.sleep_until("the loss", [&] { return rank.lost.size() == 1; });
}

// Repeatable ---------------------------------------------------------------------------------------------------------

// Who sent each frame that rank 0 got, in order.
std::vector<std::uint32_t> senders_under(std::uint64_t seed) {
  SeededRun seeded(seed);
  std::vector<std::uint32_t> senders;
  run_local_world(4, {}, [&](LocalWorld&, Transport& transport) {
    RankUnderTest rank(transport);
    std::vector<std::size_t> seen(rank.size(), 0);
    for (std::uint64_t i = 0; rank.rank() != 0 && i < 10; ++i) rank.send(RankId(0), FrameClass::request, i, 10);
    while (rank.rank() == 0 && senders.size() < 30) {
      rank.poll();
      for (const RankId peer : rank.others()) {
        for (; seen[peer.index()] < rank.arrived(peer).size(); ++seen[peer.index()]) senders.push_back(peer.value());
      }
      seam::pause();
    }
    rank.meet();
  });
  return senders;
}

TEST(LocalTransport, SeedDecidesWhoArrivesFirst) {
  std::vector<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    orders.push_back(senders_under(seed));
    EXPECT_EQ(orders.back(), senders_under(seed)) << "seed " << seed;
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  EXPECT_GT(orders.size(), 30U);
}

}  // namespace
}  // namespace slipway::test
