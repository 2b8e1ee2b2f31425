// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "contract/rank_under_test.hpp"
#include "main/transport_under_test.hpp"

// One segment that no 32-bit count can describe.
namespace slipway::test {
namespace {

constexpr std::size_t huge = (std::size_t{1} << 31) + (std::size_t{1} << 20) + 3;
// Where the sender writes something else than 0: around the limits of counts, and at both ends.
constexpr std::array<std::size_t, 6> marks{
    0, (std::size_t{1} << 31) - 1, std::size_t{1} << 31, (std::size_t{1} << 30) + 7, huge - 2, huge - 1};

// Zeros that take no memory until they are written.
class Pages {
 public:
  Pages() {
    void* const address =
        mmap(nullptr, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(address);
  }
  ~Pages() { munmap(data_, huge); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

class HugeRank : public RankUnderTest {
 public:
  explicit HugeRank(Transport& transport) : RankUnderTest(transport) { limit = std::chrono::seconds(120); }

  void send_huge(RankId to) {
    const auto pages = std::make_shared<Pages>();
    for (const std::size_t mark : marks) pages->data()[mark] = pattern(1, mark);
    LargeFrame large;
    large.frame.resize(sizeof(wire::FrameHeader));
    large.segments.push_back({pages->data(), {.size = huge}});
    large.keep_alive = pages;
    transport().send_large(to, std::move(large));
  }

  void on_large(RankId, TransferId transfer, std::span<const std::byte>,
                std::span<const wire::SegmentInfo> segments) override {
    ASSERT_EQ(segments.size(), 1U);
    ASSERT_EQ(segments[0].size, huge);
    destination = std::make_unique<Pages>();
    transport().accept(transfer, {{destination->data(), huge}});
  }
  void on_large_received(TransferId) override { complete = true; }

  std::unique_ptr<Pages> destination;
  bool complete = false;
};

TEST(HugeTransfer, Contract5PassesTwoGibibytes) {
  run_on_all_ranks({.chunk_bytes = 1024 * 1024}, [](Transport& transport) {
    HugeRank rank(transport);
    const bool takes_part = rank.size() == 2;
    if (takes_part && rank.rank() == 0) {
      rank.send_huge(RankId(1));
      rank.poll_until("the frame back", [&] { return rank.sent.size() == 1; });
    }
    if (takes_part && rank.rank() == 1) {
      rank.poll_until("the segment", [&] { return rank.complete; });
      for (const std::size_t mark : marks) EXPECT_EQ(rank.destination->data()[mark], pattern(1, mark)) << mark;
      std::size_t others = 0;
      for (std::size_t i = 0; i < huge; ++i) others += rank.destination->data()[i] != std::byte{0} ? 1 : 0;
      EXPECT_LE(others, marks.size());
    }
    rank.meet();
  });
}

}  // namespace
}  // namespace slipway::test
