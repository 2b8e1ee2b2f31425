// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "contract/rank_under_test.hpp"
#include "main/transport_under_test.hpp"

// What every Transport promises about large frames; see transport.hpp. Each case runs on every transport.
namespace slipway::test {
namespace {

using Segments = std::vector<std::size_t>;

// Sends each list of segments to every peer, and returns when all have arrived and all frames have come back.
void trade(RankUnderTest& rank, const std::vector<Segments>& frames) {
  std::vector<std::weak_ptr<void>> keep_alives;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (const RankId peer : rank.others()) {
      keep_alives.push_back(rank.send_large(peer, FrameClass::request, 100 * i, frames[i]));
    }
  }
  const std::size_t all = frames.size() * rank.others().size();
  rank.poll_until("all segments", [&] { return rank.count_received() == all; });
  rank.poll_until("all frames back", [&] { return rank.sent.size() == all; });
  for (const auto& [transfer, incoming] : rank.incomings) {
    const Segments& sizes = frames.at(incoming.id / 100);
    ASSERT_EQ(incoming.memory.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(incoming.memory[i].size(), sizes[i]);
  }
  rank.sent.clear();
  for (const auto& keep_alive : keep_alives) EXPECT_TRUE(keep_alive.expired());
  rank.meet();
}

TEST(TransportLarge, Contract5CarriesEverySize) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    std::vector<Segments> frames;
    for (std::size_t size = 1; size <= 64 * 1024; size *= seam::simulated() ? 32 : 2) {
      frames.push_back({size - 1});
      frames.push_back({size});
      frames.push_back({size + 1});
    }
    trade(rank, frames);
  });
}

TEST(TransportLarge, Contract5CarriesOddSegments) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    Segments many(100);
    std::iota(many.begin(), many.end(), 0);
    trade(rank, {{0}, {0, 0, 5, 0}, many, {1, 30'000, 0, 7}, {0, 16 * 1024, 16 * 1024, 0}});
  });
}

TEST(TransportLarge, Contract5CarriesManyChunks) {
  run_on_all_ranks({.chunk_bytes = 4096}, [](Transport& transport) {
    RankUnderTest rank(transport);
    trade(rank, {{10 * 4096 + 3}, {4 * 4096}, {4 * 4096 + 1, 9 * 4096 - 1}});
  });
}

TEST(TransportLarge, Contract5CarriesMegabytes) {
  run_on_all_ranks({.chunk_bytes = 1024 * 1024}, [](Transport& transport) {
    RankUnderTest rank(transport);
    trade(rank, {{seam::simulated() ? 50'001U : 5'000'001U}});
  });
}

// Small frames overtake the segments of one that was announced before them, never its place.
void accept_late_in_reverse(std::size_t last_segment) {
  run_on_all_ranks([last_segment](Transport& transport) {
    RankUnderTest rank(transport);
    rank.on_large_do = RankUnderTest::OnLarge::hold;
    constexpr std::size_t each = 4;
    for (const RankId peer : rank.others()) {
      for (std::size_t i = 0; i < each; ++i) {
        rank.send_large(peer, FrameClass::request, 100 * i, {20'000 * i, last_segment});
        rank.send(peer, FrameClass::request, 100 * i + 1, 5);
      }
    }
    for (const RankId peer : rank.others()) {
      rank.poll_until("the announcements", [&] { return rank.arrived(peer).size() == 2 * each; });
      for (std::size_t i = 0; i < each; ++i) {
        EXPECT_TRUE(rank.arrived(peer)[2 * i].large);
        EXPECT_EQ(rank.arrived(peer)[2 * i].id, 100 * i);
        EXPECT_EQ(rank.arrived(peer)[2 * i + 1].id, 100 * i + 1);
      }
    }
    EXPECT_EQ(rank.count_received(), 0U);
    for (auto last = rank.incomings.rbegin(); last != rank.incomings.rend(); ++last) {
      rank.accept(last->first);
      rank.poll();
    }
    rank.poll_until("all segments", [&] { return rank.count_received() == each * rank.others().size(); });
    rank.poll_until("all frames back", [&] { return rank.sent.size() == each * rank.others().size(); });
    rank.meet();
  });
}

TEST(TransportLarge, AnswersMayComeLateInAnyOrder) { accept_late_in_reverse(3); }
// Long segments only: a transport may have sent them on their way before it has the answer.
TEST(TransportLarge, AnswersToLongSegmentsMayComeLateInAnyOrder) { accept_late_in_reverse(9'000); }

TEST(TransportLarge, AnotherThreadMayAccept) {
  run_on_all_ranks([](Transport& transport) {
    RankUnderTest rank(transport);
    rank.on_large_do = RankUnderTest::OnLarge::hold;
    for (const RankId peer : rank.others()) rank.send_large(peer, FrameClass::reply, 7, {70'000});
    const std::size_t all = rank.others().size();
    rank.poll_until("the announcements", [&] { return rank.incomings.size() == all; });
    seam::Thread helper("helper", [&] {
      for (const auto& [transfer, incoming] : rank.incomings) {
        seam::pause();
        rank.accept(transfer);
        transport.ring_own_bell();
      }
    });
    rank.sleep_until("all segments", [&] { return rank.count_received() == all; });
    rank.sleep_until("all frames back", [&] { return rank.sent.size() == all; });
    helper.join();
    rank.meet();
  });
}

void refuse_now_and_later(std::size_t last_segment) {
  run_on_all_ranks([last_segment](Transport& transport) {
    RankUnderTest rank(transport);
    const auto peers = rank.others().size();
    std::vector<std::weak_ptr<void>> keep_alives;
    const auto send_to_all = [&](std::uint64_t id) {
      for (const RankId peer : rank.others()) {
        keep_alives.push_back(rank.send_large(peer, FrameClass::request, id, {50'000, last_segment}));
      }
    };
    rank.on_large_do = RankUnderTest::OnLarge::refuse;
    send_to_all(1);
    rank.poll_until("the first frames back", [&] { return rank.sent.size() == peers; });
    rank.poll_until("the first announcements", [&] { return rank.incomings.size() == peers; });
    rank.meet();
    rank.on_large_do = RankUnderTest::OnLarge::hold;
    rank.meet();
    send_to_all(2);
    rank.poll_until("the second announcements", [&] { return rank.incomings.size() == 2 * peers; });
    for (const auto& [transfer, incoming] : rank.incomings) {
      if (incoming.id == 2) transport.refuse(transfer);
    }
    rank.poll_until("the second frames back", [&] { return rank.sent.size() == 2 * peers; });
    rank.meet();
    EXPECT_EQ(rank.count_received(), 0U);
    EXPECT_EQ(rank.sent.size(), 2 * peers);
    for (const auto& [to, frame] : rank.sent) {
      EXPECT_EQ(frame.segments.size(), 2U);
      EXPECT_TRUE(frame.keep_alive);
    }
    rank.sent.clear();
    for (const auto& keep_alive : keep_alives) EXPECT_TRUE(keep_alive.expired());
  });
}

TEST(TransportLarge, RefusedFramesComeBackOnce) { refuse_now_and_later(1); }
TEST(TransportLarge, RefusedLongSegmentsComeBackOnce) { refuse_now_and_later(9'000); }

// Large frames take credits like small ones, and wait in their order.
TEST(TransportLarge, Contract4HoldsLargeRequestsBackToo) {
  run_on_all_ranks({.credits = 8}, [](Transport& transport) {
    RankUnderTest rank(transport);
    const std::size_t count = seam::simulated() ? 30 : 500;
    std::vector<std::uint64_t> sent;
    for (std::size_t i = 0; i < count; ++i) {
      for (const RankId peer : rank.others()) {
        if (i % 2 == 0) {
          rank.send(peer, FrameClass::request, i, 50);
        } else {
          rank.send_large(peer, FrameClass::request, i, {2'000});
        }
      }
      sent.push_back(i);
    }
    for (const RankId peer : rank.others()) {
      rank.poll_until("all frames", [&] { return rank.arrived(peer).size() == count; });
      EXPECT_EQ(rank.ids(peer, wire::FrameKind::request), sent);
    }
    const std::size_t large = count / 2 * rank.others().size();
    rank.poll_until("all segments", [&] { return rank.count_received() == large; });
    rank.poll_until("all frames back", [&] { return rank.sent.size() == large; });
    rank.meet();
  });
}

}  // namespace
}  // namespace slipway::test
