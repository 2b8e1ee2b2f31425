// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace slipway {
namespace {

class BufferTest : public testing::Test {
 protected:
  void SetUp() override {
    set_pool_limit(0);  // empties it
    set_pool_limit(std::size_t{256} << 20U);
  }
  void TearDown() override { SetUp(); }
};

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST_F(BufferTest, BehavesLikeAFixedArrayThatMoves) {
  Buffer<int> numbers(5);
  std::iota(numbers.begin(), numbers.end(), 1);
  EXPECT_EQ(numbers.size(), 5U);
  EXPECT_EQ(numbers.size_bytes(), 20U);
  EXPECT_EQ(numbers[4], 5);
  EXPECT_EQ(numbers.kind(), MemoryKind::host);
  const int* place = numbers.data();
  Buffer<int> moved = std::move(numbers);
  EXPECT_EQ(moved.data(), place);
  EXPECT_TRUE(numbers.empty());  // NOLINT: what is left after a move is part of the contract
  const Buffer<int> copy = moved.clone();
  EXPECT_NE(copy.data(), moved.data());
  EXPECT_TRUE(std::equal(copy.begin(), copy.end(), moved.begin()));
  static_assert(!std::is_copy_constructible_v<Buffer<int>> && std::is_nothrow_move_constructible_v<Buffer<int>>);
}

TEST_F(BufferTest, EmptyOnesTakeNoMemory) {
  const auto before = pool_stats();
  const Buffer<double> empty(0);
  const Buffer<double> none;
  EXPECT_EQ(empty.clone().size() + none.clone().size(), 0U);
  EXPECT_EQ(pool_stats().allocated, before.allocated);
}

TEST_F(BufferTest, AdoptsAndReleasesMemoryWithoutCopy) {
  Buffer<std::int64_t> numbers(100);
  numbers[99] = 7;
  const void* place = numbers.data();
  detail::Bytes bytes = numbers.release();
  EXPECT_EQ(bytes.size(), 800U);
  EXPECT_TRUE(numbers.empty());
  auto again = Buffer<std::int64_t>::adopt(std::move(bytes));
  EXPECT_EQ(again.data(), place);
  EXPECT_EQ(again.size(), 100U);
  EXPECT_EQ(again[99], 7);
}

TEST_F(BufferTest, Contract5MemoryIsRecycled) {
  const void* place = nullptr;
  {
    Buffer<char> first(std::size_t{3} << 20U);
    place = first.data();
  }
  const auto before = pool_stats();
  EXPECT_GE(before.cached_bytes, std::size_t{3} << 20U);
  const Buffer<char> second((std::size_t{3} << 20U) - 1000);
  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(pool_stats().allocated, before.allocated);
  EXPECT_EQ(pool_stats().recycled, before.recycled + 1);
}

TEST_F(BufferTest, IsAligned) {
  for (const std::size_t size : {1U, 64U, 65U, 1000U, 100000U}) EXPECT_EQ(address(Buffer<char>(size).data()) % 64, 0U);
  for (const std::size_t size : {std::size_t{2} << 20U, (std::size_t{5} << 20U) + 1}) {
    EXPECT_EQ(address(Buffer<char>(size).data()) % detail::huge_page, 0U);
  }
}

TEST_F(BufferTest, WastesAtMostAQuarterAndAllOfItIsUsable) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t size = std::uniform_int_distribution<std::size_t>(1, std::size_t{1} << (1 + i % 23))(random);
    detail::Bytes bytes(size);
    ASSERT_GE(bytes.capacity(), size);
    ASSERT_LE(bytes.capacity(), std::max<std::size_t>(64, size + size / 4 + 1));
    bytes.data()[0] = bytes.data()[bytes.capacity() - 1] = std::byte{1};
  }
}

TEST_F(BufferTest, Contract4TheCacheIsBounded) {
  set_pool_limit(std::size_t{8} << 20U);
  {
    std::vector<Buffer<char>> many;
    for (int i = 0; i < 10; ++i) many.emplace_back(std::size_t{2} << 20U);
  }
  EXPECT_EQ(pool_stats().cached_bytes, std::size_t{8} << 20U);
  set_pool_limit(0);
  EXPECT_EQ(pool_stats().cached_bytes, 0U);
}

TEST_F(BufferTest, ImpossibleSizesThrow) {
  EXPECT_THROW(Buffer<double>{std::size_t{1} << 62U}, std::bad_alloc);
  EXPECT_THROW(Buffer<char>{std::numeric_limits<std::size_t>::max()}, std::bad_alloc);
}

TEST_F(BufferTest, ThreadsMayFreeWhatOthersAllocated) {
  std::vector<std::vector<Buffer<std::uint32_t>>> made(4);
  const auto make_and_check = [&made](std::size_t index) {
    std::mt19937 random(static_cast<unsigned>(index));
    for (int round = 0; round < 500; ++round) {
      Buffer<std::uint32_t> buffer(1 + random() % 5000);
      for (auto& element : buffer) element = static_cast<std::uint32_t>(index);
      for (const auto element : buffer) ASSERT_EQ(element, index);
      if (round % 10 == 0) made[index].push_back(std::move(buffer));
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < made.size(); ++i) threads.emplace_back(make_and_check, i);
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (const auto& buffer : made[i]) {
      EXPECT_EQ(buffer[0], i);
      EXPECT_EQ(buffer[buffer.size() - 1], i);
    }
  }
}

}  // namespace
}  // namespace slipway
