// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Loops of tasks.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "run_body.hpp"

namespace slipway::test::loops {
namespace {

std::atomic<std::uint64_t> visits{0};
std::atomic<std::uint64_t> sum_of_visited{0};
void visit(std::uint64_t index, const std::vector<std::uint64_t>& values, std::uint64_t factor) {
  ++visits;
  sum_of_visited += factor * values.at(index);
}
std::uint64_t square(std::uint64_t index) { return index * index; }
std::string letter(std::uint64_t index) { return {static_cast<char>('a' + index % 26)}; }
std::string joined(std::string left, const std::string& right) { return left + right; }
std::uint64_t fail_at(std::uint64_t index, std::uint64_t bad) {
  if (index == bad) throw std::domain_error("index " + std::to_string(index));
  return index;
}
std::string letters(std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += letter(i);
  return all;
}

TEST(Loops, VisitEachIndexOnce) {
  everywhere([](const Conditions& setup) {
    for (const std::uint64_t count : {0ULL, 1ULL, 7ULL, 500ULL}) {
      visits = 0;
      sum_of_visited = 0;
      const auto result = run_body(setup, [&] {
        std::vector<std::uint64_t> values(count);
        std::iota(values.begin(), values.end(), 1);
        parallel_for<&visit>(count, put(values), std::uint64_t{3});
      });
      EXPECT_EQ(result.status, 0) << result.failure;
      EXPECT_EQ(visits, count);
      EXPECT_EQ(sum_of_visited, 3 * count * (count + 1) / 2);
    }
  });
}

TEST(Loops, GiveResultsInTheOrderOfTheIndexes) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [] {
      const std::vector<std::uint64_t> squares = parallel_map<&square>(300);
      ASSERT_EQ(squares.size(), 300U);
      for (std::uint64_t i = 0; i < squares.size(); ++i) EXPECT_EQ(squares[i], i * i);
      EXPECT_TRUE(parallel_map<&square>(0).empty());
      for (const std::uint64_t chunk : {0ULL, 1ULL, 7ULL, 1000ULL}) {
        const LoopOptions options{.chunk = chunk};
        EXPECT_EQ((map_reduce<&letter, &joined>(options, 100, std::string("-"))), "-" + letters(100));
      }
      EXPECT_EQ((map_reduce<&letter, &joined>(0, std::string("-"))), "-");
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

TEST(Loops, ThrowTheFirstFailure) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [] {
      try {
        parallel_map<&fail_at>({.chunk = 3}, 1000, std::uint64_t{10});
        ADD_FAILURE() << "no exception";
      } catch (const TaskError& error) {
        EXPECT_EQ(error.failure().text, "index 10");
        EXPECT_THAT(error.failure().path, ::testing::EndsWith("fail_at"));
      }
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

std::atomic<std::uint64_t> seen_after_failure{0};
void fail_first(std::uint64_t index) {
  if (index == 0) throw std::runtime_error("the first");
  ++seen_after_failure;
  seam::sleep_until(seam::now() + 200'000);
}

TEST(Loops, EndWhatRunsAfterAFailure) {
  everywhere(
      [](const Conditions& setup) {
        seen_after_failure = 0;
        const auto result = run_body(setup, [] {
          const LoopOptions options{.chunk = 5'000};
          EXPECT_THROW(parallel_for<&fail_first>(options, 50'000), TaskError);
        });
        EXPECT_EQ(result.status, 0) << result.failure;
        EXPECT_LT(seen_after_failure, 20'000U);
      },
      3);
}

std::uint64_t inner_sum(std::uint64_t index) {
  return map_reduce<&square, [](std::uint64_t a, std::uint64_t b) { return a + b; }>(index, std::uint64_t{0});
}

TEST(Loops, StandInTasksAndInEachOther) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [] {
      const std::vector<std::uint64_t> sums = parallel_map<&inner_sum>(20);
      for (std::uint64_t n = 1; n < sums.size(); ++n) EXPECT_EQ(sums[n], (n - 1) * n * (2 * n - 1) / 6);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

TEST(Loops, TakeChunksByWhatTheIndexesHaveTaken) {
  constexpr std::size_t cores = 4;
  detail::ChunkSizes sizes(1'000'000, 0, cores);
  EXPECT_EQ(sizes.next(), std::pair(std::uint64_t{0}, std::uint64_t{1}));
  sizes.note(1, 20'000);
  const auto [first, last] = sizes.next();
  EXPECT_EQ(last - first, 100U);  // of 20 us: 2 ms
  std::uint64_t latest = 0;
  std::uint64_t tasks = 0;
  while (sizes.left() > 0) {
    const auto [from, to] = sizes.next();
    ASSERT_GT(to, from);
    latest = to - from;
    ++tasks;
  }
  EXPECT_EQ(latest, 1U);
  EXPECT_LT(tasks, 12'000U);
  detail::ChunkSizes fixed(10, 4, cores);
  EXPECT_EQ(fixed.next().second, 4U);
  EXPECT_EQ(fixed.next().second, 8U);
  EXPECT_EQ(fixed.next().second, 10U);
  EXPECT_EQ(fixed.left(), 0U);
}

}  // namespace
}  // namespace slipway::test::loops
