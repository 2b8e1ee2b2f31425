// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "credits.hpp"
#include "outbox.hpp"
#include "slipway/base/error.hpp"

// The queues and the book of credits of the MPI transport, without MPI.
namespace slipway::detail {
namespace {

std::vector<std::byte> frame_of(std::size_t size) { return std::vector<std::byte>(size, std::byte{1}); }

// Sizes of the batches that would leave now, without their headers.
std::vector<std::size_t> leaving(Outbox& outbox, bool* wants_credit = nullptr) {
  std::vector<std::size_t> sizes;
  bool wants = false;
  for (auto* peer = outbox.take_listed(); peer;) {
    auto* const next = peer->next_listed;
    BatchList batches = outbox.drain(*peer, seam::now(), wants);
    while (Batch* const batch = batches.pop()) {
      sizes.push_back(batch->size - sizeof(BatchHeader));
      outbox.give_back(batch);
    }
    peer = next;
  }
  if (wants_credit) *wants_credit = wants;
  return sizes;
}

TEST(Outbox, OneBatchTakesAllClassesWhileCreditsLast) {
  Outbox outbox(2, 4);
  outbox.append(1, FrameClass::reply, frame_of(100), {});
  outbox.append(1, FrameClass::request, frame_of(100), frame_of(50));
  outbox.append(1, FrameClass::control, frame_of(10), {});
  EXPECT_EQ(leaving(outbox), (std::vector<std::size_t>{260}));
  EXPECT_FALSE(outbox.has_listed());
}

TEST(Outbox, SaysDueForTheFirstFrameAfterSilenceAndForFullBatches) {
  Outbox outbox(2, 4);
  outbox.peer(1).quiet_time = 1'000'000'000;  // longer than this test
  EXPECT_TRUE(outbox.append(1, FrameClass::request, frame_of(1000), {}));
  EXPECT_FALSE(outbox.append(1, FrameClass::request, frame_of(1000), {}));
  EXPECT_FALSE(outbox.append(1, FrameClass::request, frame_of(1000), {}));
  EXPECT_TRUE(outbox.append(1, FrameClass::request, frame_of(1000), {}));
  leaving(outbox);
  EXPECT_FALSE(outbox.append(1, FrameClass::request, frame_of(10), {})) << "the last flush was just now";
}

TEST(Outbox, Contract4RequestsWaitForCreditsAndNothingElseDoes) {
  Outbox outbox(2, 2);
  for (int i = 0; i < 5; ++i) outbox.append(1, FrameClass::request, frame_of(3000), {});
  outbox.append(1, FrameClass::reply, frame_of(2000), {});
  bool wants_credit = false;
  EXPECT_EQ(leaving(outbox, &wants_credit), (std::vector<std::size_t>{3000, 3000, 2000}));
  EXPECT_TRUE(wants_credit);

  outbox.append(1, FrameClass::request, frame_of(10), {});  // must not overtake the backlog, though it would fit
  outbox.append(1, FrameClass::reply, frame_of(20), {});
  EXPECT_EQ(leaving(outbox), (std::vector<std::size_t>{20}));

  outbox.add_credits(1, 1, 0);
  EXPECT_EQ(leaving(outbox), (std::vector<std::size_t>{3000}));
  outbox.add_credits(1, 2, 0);
  EXPECT_EQ(leaving(outbox, &wants_credit), (std::vector<std::size_t>{3000, 3010}));
  EXPECT_FALSE(wants_credit);
}

TEST(Outbox, ReturnsLoansThatNobodyUses) {
  Outbox outbox(2, 1);
  outbox.append(1, FrameClass::request, frame_of(10), {});
  leaving(outbox);
  outbox.add_credits(1, 4, 3);  // one comes back, three are lent
  outbox.give_back_unused_loans(1);
  EXPECT_TRUE(leaving(outbox).empty()) << "used since the last look";
  outbox.give_back_unused_loans(1);
  EXPECT_EQ(leaving(outbox), (std::vector<std::size_t>{0}));
  outbox.give_back_unused_loans(1);
  EXPECT_TRUE(leaving(outbox).empty()) << "given back once";
  for (int i = 0; i < 3; ++i) outbox.append(1, FrameClass::request, frame_of(3000), {});
  EXPECT_EQ(leaving(outbox).size(), 1U);
}

TEST(Outbox, DropsWhatIsForTheDead) {
  Outbox outbox(3, 1);
  for (std::uint32_t peer : {1U, 2U}) {
    for (int i = 0; i < 3; ++i) outbox.append(peer, FrameClass::request, frame_of(3000), {});
  }
  outbox.declare_dead(1);
  EXPECT_FALSE(outbox.append(1, FrameClass::request, frame_of(10), {}));
  EXPECT_FALSE(outbox.append_own(1, FrameClass::control, wire::FrameKind::transport_first, frame_of(1), {}));
  outbox.add_credits(1, 5, 0);
  EXPECT_EQ(leaving(outbox), (std::vector<std::size_t>{3000}));
}

TEST(Outbox, RefusesFramesThatFitNoBatch) {
  Outbox outbox(2, 1);
  EXPECT_THROW(outbox.append(1, FrameClass::reply, frame_of(batch_bytes), {}), Error);
}

TEST(CreditBook, ReturnsCreditsByHalfUse) {
  CreditBook book(2, 20);  // 10 to begin with
  std::vector<std::uint32_t> settled;
  const auto settle = [&] { book.settle([&](std::uint32_t peer) { settled.push_back(peer); }); };
  for (int i = 0; i < 4; ++i) book.received(1, false);
  settle();
  EXPECT_TRUE(settled.empty());
  book.received(1, false);
  settle();
  EXPECT_EQ(settled, std::vector<std::uint32_t>{1});
  EXPECT_EQ(book.take(1), (std::pair<std::uint16_t, std::uint16_t>{5, 0}));
  EXPECT_EQ(book.take(1), (std::pair<std::uint16_t, std::uint16_t>{0, 0}));
}

TEST(CreditBook, LendsToTheActiveWithinTheLimit) {
  constexpr std::uint32_t ranks = 11;
  constexpr std::uint32_t limit = 60;
  EXPECT_EQ(initial_credits(ranks, limit), 3U);
  CreditBook book(ranks, limit);
  std::uint32_t granted = 3 * (ranks - 1);
  for (int i = 0; i < 100; ++i) {
    for (std::uint32_t peer = 1; peer < ranks; ++peer) {
      book.received(peer, true);
      granted += book.take(peer).second;
    }
  }
  EXPECT_EQ(granted, limit);
}

TEST(CreditBook, ShiftsLoansFromPeerToPeer) {
  CreditBook book(3, 8);  // 2 each, 4 to lend
  std::uint32_t first = 0;
  for (int i = 0; i < 4; ++i) {
    book.received(1, true);
    first += book.take(1).second;
  }
  EXPECT_EQ(first, 4U);
  book.received(2, true);
  EXPECT_EQ(book.take(2).second, 0U);
  book.given_back(1, first);
  book.received(2, true);
  EXPECT_EQ(book.take(2).second, 2U);
}

TEST(CreditBook, GivesEveryPeerOneAtLeast) {
  EXPECT_EQ(initial_credits(5000, 1000), 1U);
  EXPECT_EQ(initial_credits(2, 1000), most_credits);
  EXPECT_EQ(initial_credits(1, 1000), most_credits);
}

}  // namespace
}  // namespace slipway::detail
