// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/rank_under_test.hpp"
#include "main/transport_under_test.hpp"

// What every Transport promises about small frames, flow and the doorbell; see transport.hpp. Each case runs on every
// transport; large frames have transport_large_suite.cpp.
namespace slipway::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t reply_mark = 1'000'000;

// Fewer under a seed: there are many seeds.
std::uint64_t rounds(std::uint64_t real, std::uint64_t simulated) { return seam::simulated() ? simulated : real; }

std::vector<std::uint64_t> counting(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

TEST(Transport, KnowsItsPlace) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    EXPECT_LT(rank.rank(), rank.size());
    EXPECT_EQ(transport.host_of_rank().size(), rank.size());
    for (const HostId host : transport.host_of_rank()) EXPECT_LT(host.index(), transport.host_names().size());
    EXPECT_FALSE(transport.describe().empty());
    EXPECT_GE(transport.max_small_frame(), 256U);
    EXPECT_FALSE(transport.has_unsent());
    rank.meet();
  });
}

TEST(Transport, DeclaresFakeHosts) {
  run_on_all_ranks({.fake_hosts = 2}, [](Transport& transport) {
    const auto& hosts = transport.host_of_rank();
    EXPECT_EQ(transport.host_names().size(), std::min<std::size_t>(2, transport.size()));
    EXPECT_TRUE(std::is_sorted(hosts.begin(), hosts.end()));
    EXPECT_EQ(hosts.back().index() + 1, transport.host_names().size());
    RankUnderTest(transport).meet();
  });
}

TEST(Transport, GathersAllTexts) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    const auto text_of = [](std::uint32_t of, std::size_t size) {
      return std::string(size * of, static_cast<char>(of));
    };
    for (const std::size_t size : {1U, 0U, 5000U}) {
      const auto texts = transport.all_gather(text_of(rank.rank(), size), seam::after(20s));
      ASSERT_EQ(texts.size(), rank.size());
      for (std::uint32_t peer = 0; peer < rank.size(); ++peer) EXPECT_EQ(texts[peer], text_of(peer, size));
    }
    rank.meet();
  });
}

TEST(Transport, KeepsTheOrderOfEachPair) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    const std::uint64_t count = rounds(600, 40);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (const RankId peer : rank.others()) {
        const FrameClass frame_class = i % 3 == 2 ? FrameClass::reply : FrameClass::request;
        const std::uint64_t id = (frame_class == FrameClass::reply ? reply_mark : 0) + i;
        if (i % 7 == 3) {
          rank.send_large(peer, frame_class, id, {i * 97 % 40'000, 10});
        } else {
          rank.send(peer, frame_class, id, i * 31 % 200);
        }
      }
      if (i % 16 == 0) rank.poll();
    }
    for (const RankId peer : rank.others()) {
      rank.poll_until("all frames", [&] { return rank.arrived(peer).size() >= count; });
    }
    const std::uint64_t large = (count + 3) / 7;
    rank.poll_until("all segments", [&] { return rank.count_received() == large * rank.others().size(); });
    rank.poll_until("all frames back", [&] { return rank.sent.size() == large * rank.others().size(); });
    for (const RankId peer : rank.others()) {
      const auto requests = rank.ids(peer, wire::FrameKind::request);
      const auto replies = rank.ids(peer, wire::FrameKind::reply);
      EXPECT_TRUE(std::is_sorted(requests.begin(), requests.end()));
      EXPECT_TRUE(std::is_sorted(replies.begin(), replies.end()));
      EXPECT_EQ(requests.size() + replies.size(), count);
    }
    rank.meet();
  });
}

TEST(Transport, CarriesEverySmallSize) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    const std::size_t largest = transport.max_small_frame() - sizeof(wire::FrameHeader);
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size < 300; ++size) sizes.push_back(size);
    for (std::size_t size = 512; size <= largest; size *= 2) {
      for (const std::size_t near : {size - 1, size, size + 1}) sizes.push_back(std::min(near, largest));
    }
    for (std::size_t less = 0; less < 40; ++less) sizes.push_back(largest - less);
    if (seam::simulated()) sizes.erase(sizes.begin(), sizes.begin() + 280);
    for (const std::size_t size : sizes) {
      for (const RankId peer : rank.others()) rank.send(peer, FrameClass::request, size, size);
    }
    for (const RankId peer : rank.others()) {
      rank.poll_until("all sizes", [&] { return rank.arrived(peer).size() == sizes.size(); });
      for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(rank.arrived(peer)[i].size, sizes[i]);
    }
    rank.meet();
  });
}

// Flow ---------------------------------------------------------------------------------------------------------------

// Rank 0 sends all of it at once, while rank 1 does not poll for a while.
TEST(Transport, Contract4BoundsAFloodAndLosesNothing) {
  run_on_all_ranks({.credits = 64}, [](Transport& transport) {
    RankUnderTest rank(transport);
    const std::uint64_t count = rounds(60'000, 1'000);
    if (rank.size() > 1 && rank.rank() == 0) {
      for (std::uint64_t i = 0; i < count; ++i) rank.send(RankId(1), FrameClass::request, i, 100);
    }
    if (rank.rank() == 1) {
      seam::sleep_until(seam::after(std::chrono::microseconds(rounds(50'000, 200))));
      rank.poll();
      EXPECT_LT(rank.arrived(RankId(0)).size(), count) << "the receiver takes all there is";
      rank.poll_until("the flood", [&] { return rank.arrived(RankId(0)).size() >= count; });
      EXPECT_EQ(rank.ids(RankId(0), wire::FrameKind::request), counting(0, count));
    }
    rank.meet();
  });
}

TEST(Transport, Contract4LetsRepliesPassStarvingRequests) {
  run_on_all_ranks({.credits = 64}, [](Transport& transport) {
    RankUnderTest rank(transport);
    const std::uint64_t count = rounds(60'000, 1'000);
    if (rank.size() > 1 && rank.rank() == 0) {
      for (std::uint64_t i = 0; i < count; ++i) rank.send(RankId(1), FrameClass::request, i, 100);
      rank.send(RankId(1), FrameClass::reply, reply_mark, 10);
    }
    // Nobody has polled so far: what is beyond the credits waits at the sender, however fast the receiver is.
    transport.all_gather("sent", seam::after(rank.limit));
    if (rank.rank() == 1) {
      rank.poll_until("the reply", [&] { return rank.has_reply(RankId(0)); });
      EXPECT_LT(rank.arrived(RankId(0)).size(), count) << "the reply came after all requests";
      rank.poll_until("the flood", [&] { return rank.arrived(RankId(0)).size() == count + 1; });
    }
    rank.meet();
  });
}

// A flood in one direction holds up neither the other direction nor the other ranks.
TEST(Transport, Contract4FloodsOfAllAtOnceEnd) {
  run_on_all_ranks({.credits = 8}, [](Transport& transport) {
    RankUnderTest rank(transport);
    const std::uint64_t count = rounds(20'000, 60);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (const RankId peer : rank.others()) rank.send(peer, FrameClass::request, i, 40);
    }
    for (const RankId peer : rank.others()) {
      rank.poll_until("the flood", [&] { return rank.arrived(peer).size() >= count; });
      EXPECT_EQ(rank.ids(peer, wire::FrameKind::request), counting(0, count));
    }
    rank.meet();
  });
}

TEST(Transport, TakesFramesFromManyThreads) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    constexpr std::uint64_t thread_count = 3;
    const std::uint64_t count = rounds(500, 10);
    std::vector<seam::Thread> threads;
    for (std::uint64_t thread = 0; thread < thread_count; ++thread) {
      threads.emplace_back("sender", [&rank, thread, count] {
        for (std::uint64_t i = 0; i < count; ++i) {
          for (const RankId peer : rank.others()) rank.send(peer, FrameClass::request, thread * reply_mark + i, i % 60);
          seam::pause();
        }
      });
    }
    for (const RankId peer : rank.others()) {
      rank.poll_until("all threads' frames", [&] { return rank.arrived(peer).size() == count * thread_count; });
      std::vector<std::vector<std::uint64_t>> by_thread(thread_count);
      for (const Arrived& frame : rank.arrived(peer)) by_thread[frame.id / reply_mark].push_back(frame.id);
      for (std::uint64_t thread = 0; thread < thread_count; ++thread) {
        EXPECT_EQ(by_thread[thread], counting(thread * reply_mark, count));
      }
    }
    threads.clear();
    rank.meet();
  });
}

// Doorbell -----------------------------------------------------------------------------------------------------------

// Both sides sleep before each frame: a wake-up lost would end in the limit.
void ping_pong_asleep(RankUnderTest& rank, std::uint64_t count) {
  if (rank.rank() < 2 && rank.size() > 1) {
    const RankId peer(1 - rank.rank());
    for (std::uint64_t i = 0; i < count; ++i) {
      if (rank.rank() == 0) rank.send(peer, FrameClass::request, i, 8);
      rank.sleep_until("the other's frame", [&] { return rank.arrived(peer).size() > i; });
      if (rank.rank() == 1) rank.send(peer, FrameClass::reply, i, 8);
    }
  }
  rank.meet();
}

TEST(Transport, BellLosesNoWakeUp) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    ping_pong_asleep(rank, rounds(2'000, 30));
  });
}

TEST(Transport, SleepersOfOtherHostsLookBySelf) {
  run_on_all_ranks({.fake_hosts = 5}, [](Transport& transport) {
    RankUnderTest rank(transport);
    ping_pong_asleep(rank, rounds(50, 5));
  });
}

TEST(Transport, BellWakesForCreditsAndSegments) {
  run_on_all_ranks({.credits = 4}, [](Transport& transport) {
    RankUnderTest rank(transport);
    const std::uint64_t count = rounds(500, 30);
    for (const RankId peer : rank.others()) {
      for (std::uint64_t i = 0; i < count; ++i) rank.send(peer, FrameClass::request, i, 600);
      rank.send_large(peer, FrameClass::request, count, {100'000});
    }
    for (const RankId peer : rank.others()) {
      rank.sleep_until("the flood", [&] { return rank.arrived(peer).size() == count + 1; });
    }
    rank.sleep_until("the segments", [&] { return rank.count_received() == rank.others().size(); });
    rank.sleep_until("the frames back", [&] { return rank.sent.size() == rank.others().size(); });
    rank.meet();
  });
}

TEST(Transport, RingsItsOwnBell) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    rank.meet();
    std::atomic<bool> condition{false};
    for (std::uint64_t i = 0; i < rounds(100, 10); ++i) {
      condition = false;
      seam::Thread ringer("ringer", [&] {
        if (i % 2 == 1) seam::pause();
        condition = true;
        transport.ring_own_bell();
      });
      rank.sleep_until("the own bell", [&] { return condition.load(); });
    }
    rank.meet();
  });
}

TEST(Transport, SleepsNoLongerThanAsked) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    rank.meet();
    const seam::Time deadline = seam::after(20ms);
    std::uint32_t ticket = transport.arm_bell();
    rank.poll();
    while (transport.wait_bell(ticket, deadline)) {
      ticket = transport.arm_bell();
      rank.poll();
    }
    transport.disarm_bell();
    EXPECT_GE(seam::now(), deadline);
    EXPECT_LT(seam::now(), deadline + 5'000'000'000);
    rank.meet();
  });
}

}  // namespace
}  // namespace slipway::test
