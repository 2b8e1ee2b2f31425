// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpi.h>

#include <filesystem>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "contract/rank_under_test.hpp"
#include "slipway/base/error.hpp"
#include "slipway/mpi/communicator.hpp"
#include "slipway/mpi/mpi_transport.hpp"

// What only the MPI transport promises. Runs in step on all ranks, with any number of them.
namespace slipway::test {
namespace {

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

std::size_t shared_files() {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator("/dev/shm")) {
    count += file.path().filename().string().starts_with("slipway-") ? 1 : 0;
  }
  return count;
}

// A frame to the next rank, and one from the one before. Rounds count from 0.
void pass_around(RankUnderTest& rank, std::uint64_t round, std::size_t size) {
  const RankId next((rank.rank() + 1) % rank.size());
  const RankId previous((rank.rank() + rank.size() - 1) % rank.size());
  rank.send(next, FrameClass::request, round, size);
  rank.poll_until("the neighbour's frame",
                  [&] { return rank.arrived(previous).size() > round && !rank.transport().has_unsent(); });
  EXPECT_EQ(rank.arrived(previous)[round].id, round);
}

TEST(MpiTransport, KnowsRanksAndHosts) {
  const auto transport = make_mpi_transport();
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(transport->rank(), RankId(static_cast<std::uint32_t>(rank)));
  EXPECT_EQ(transport->size(), static_cast<std::uint32_t>(size));
  EXPECT_EQ(transport->host_of_rank(), std::vector<HostId>(transport->size(), HostId(0)));
  EXPECT_EQ(transport->host_names().size(), 1U);
  EXPECT_NE(transport->describe().find("MPI_THREAD_"), std::string::npos) << transport->describe();
  transport->close();
}

TEST(MpiTransport, FakeHostsAreBlocksOfRanks) {
  const auto transport = make_mpi_transport({.fake_hosts = 2});
  const std::uint32_t size = transport->size();
  EXPECT_EQ(transport->host_names().size(), std::min(size, 2U));
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    EXPECT_EQ(transport->host_of_rank()[rank], HostId(size == 1 ? 0 : rank * 2 / size)) << rank;
  }
  RankUnderTest under_test(*transport);
  for (std::uint64_t i = 0; i < 50; ++i) pass_around(under_test, i, 100);
  under_test.meet();
  transport->close();
}

TEST(MpiTransport, RanksSendToThemselves) {
  const auto transport = make_mpi_transport();
  RankUnderTest rank(*transport);
  const RankId self = transport->rank();
  rank.send(self, FrameClass::request, 1, 50);
  rank.send_large(self, FrameClass::request, 2, {100'000});
  rank.poll_until("own frames", [&] { return rank.count_received() == 1 && rank.sent.size() == 1; });
  EXPECT_EQ(rank.ids(self, wire::FrameKind::request), (std::vector<std::uint64_t>{1, 2}));
  rank.meet();
  transport->close();
}

TEST(MpiTransport, WorksOnACommunicatorOfTheProgram) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);  // the order is turned round
  const auto transport = make_mpi_transport(part);
  int part_rank = 0;
  MPI_Comm_rank(part, &part_rank);
  MPI_Comm_free(&part);
  EXPECT_EQ(transport->rank(), RankId(static_cast<std::uint32_t>(part_rank)));
  RankUnderTest under_test(*transport);
  for (std::uint64_t i = 0; i < 50; ++i) pass_around(under_test, i, 100);
  under_test.meet();
  transport->close();
}

// Between ranks of one host: long segments are under way before the receiver has answered, short ones wait for that.
TEST(MpiTransport, PushesLongSegmentsOnly) {
  const auto transport = make_mpi_transport();
  RankUnderTest rank(*transport);
  const std::size_t peers = rank.others().size();
  rank.on_large_do = RankUnderTest::OnLarge::hold;
  for (const RankId peer : rank.others()) rank.send_large(peer, FrameClass::control, 1, {8'191});
  rank.poll_until("the short ones", [&] { return rank.incomings.size() == peers; });
  rank.meet();  // which waits until nothing is unsent
  for (const RankId peer : rank.others()) rank.send_large(peer, FrameClass::control, 2, {8'192});
  rank.poll_until("the long ones", [&] { return rank.incomings.size() == 2 * peers; });
  EXPECT_EQ(transport->has_unsent(), peers > 0);
  for (const RankId peer : rank.others()) rank.send(peer, FrameClass::control, 3, 0);
  rank.poll_until("all have looked", [&] {
    const auto others = rank.others();
    return std::all_of(others.begin(), others.end(), [&](RankId peer) { return rank.arrived(peer).back().id == 3; });
  });
  for (const auto& [transfer, incoming] : rank.incomings) rank.accept(transfer);
  rank.poll_until("all segments", [&] { return rank.count_received() == 2 * peers; });
  rank.poll_until("all frames back", [&] { return rank.sent.size() == 2 * peers; });
  rank.meet();
  transport->close();
}

// A peer that no longer takes anything holds up no one's end: it refuses what was pushed to it.
TEST(MpiTransport, ClosesWithPushesUnderWay) {
  const auto transport = make_mpi_transport();
  RankUnderTest rank(*transport);
  rank.meet();
  for (const RankId peer : rank.others()) rank.send_large(peer, FrameClass::control, 1, {50'000});
  transport->flush();
  EXPECT_NO_THROW(transport->close());
}

TEST(MpiTransport, RefusesCommunicatorsBetweenGroups) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 5, &between);
  EXPECT_THROW(make_mpi_transport(between), UsageError);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

TEST(MpiTransport, TwoWorkSideBySide) {
  const auto first = make_mpi_transport();
  const auto second = make_mpi_transport();
  RankUnderTest one(*first);
  RankUnderTest two(*second);
  for (std::uint64_t i = 0; i < 20; ++i) {
    pass_around(one, i, 10);
    pass_around(two, i, 10);
  }
  one.meet();
  two.meet();
  first->close();
  second->close();
}

TEST(MpiTransport, Contract11LeavesNothingBehind) {
  const auto cycle = [] {
    const auto transport = make_mpi_transport();
    RankUnderTest rank(*transport);
    pass_around(rank, 0, 10);
    rank.meet();
    transport->close();
  };
  cycle();
  const std::size_t files = open_files();
  for (int i = 0; i < 30; ++i) cycle();
  EXPECT_EQ(open_files(), files);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(shared_files(), 0U);
}

// Takes what comes and keeps nothing.
struct Counter : FrameSink {
  explicit Counter(Transport& of) : transport(of) {}
  void on_frames(RankId from, std::span<const std::byte> batch) override {
    wire::FrameCursor cursor(batch);
    while (cursor.next()) {
      ++frames;
      if (cursor.header().kind != wire::FrameKind::request) continue;
      wire::FrameHeader header = cursor.header();
      header.kind = wire::FrameKind::reply;
      transport.send(from, FrameClass::reply, std::as_bytes(std::span(&header, 1)), cursor.payload());
    }
  }
  void on_large(RankId, TransferId, std::span<const std::byte>, std::span<const wire::SegmentInfo>) override {}
  void on_large_received(TransferId) override {}
  void on_sent(RankId, LargeFrame) override {}
  void on_peer_lost(RankId, const std::string&) override {}

  Transport& transport;
  std::uint64_t frames = 0;
};

TEST(MpiTransport, SmallFramesNeedNoAllocationOnceWarm) {
  const auto transport = make_mpi_transport();
  Counter counter(*transport);
  const RankId next((transport->rank().value() + 1) % transport->size());
  const std::vector<std::byte> body(64);
  constexpr std::uint64_t window = 200;
  std::uint64_t goal = 0;
  const auto exchange = [&](int rounds) {
    wire::FrameHeader header;
    header.kind = wire::FrameKind::request;
    header.size = static_cast<std::uint32_t>(body.size());
    for (int round = 0; round < rounds; ++round) {
      goal += 2 * window;  // a reply of the next and a request of the one before, for each sent
      for (std::uint64_t i = 0; i < window; ++i) {
        if (transport->send(next, FrameClass::request, std::as_bytes(std::span(&header, 1)), body)) transport->flush();
      }
      const seam::Time deadline = seam::after(std::chrono::seconds(20));
      while (counter.frames < goal && seam::now() < deadline) {
        if (transport->poll(counter) == 0) seam::pause();
      }
      ASSERT_GE(counter.frames, goal);
    }
  };
  exchange(100);
  const long before = allocations();
  exchange(300);
  // 60,000 frames; the pool of batches may grow once or twice more, at a new peak.
  EXPECT_LE(allocations() - before, 4);
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  for (int done = 0; !done;) {
    transport->poll(counter);
    MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
  }
  transport->close();
}

}  // namespace
}  // namespace slipway::test
