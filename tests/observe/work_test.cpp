// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "slipway/base/error.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

TEST(Work, NothingThatThreadsReportIsLost) {
  WorkCounter counter;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 1000; ++k) counter.add("frames", 2);
      });
    }
  }
  counter.add("games", 0.5);
  const Work work = counter.read();
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work.at("frames").amount, 8000);
  EXPECT_EQ(work.at("games").amount, 0.5);
}

TEST(Work, RanksAddUpAndTheLastReportCounts) {
  Work sum{{"frames", {10, 300}}};
  sum += Work{{"frames", {5, 200}}, {"games", {1, 400}}};
  EXPECT_EQ(sum.at("frames").amount, 15);
  EXPECT_EQ(sum.at("frames").last, 300);
  EXPECT_EQ(sum.at("games").last, 400);
}

TEST(Work, WhatIsNoAmountOrNoUnitIsRefused) {
  WorkCounter counter;
  EXPECT_THROW(counter.add("frames", -1), UsageError);
  EXPECT_THROW(counter.add("frames", std::nan("")), UsageError);
  EXPECT_THROW(counter.add("frames", std::numeric_limits<double>::infinity()), UsageError);
  EXPECT_THROW(counter.add("", 1), UsageError);
  EXPECT_THROW(counter.add("a,b", 1), UsageError);
  EXPECT_THROW(counter.add("a\nb", 1), UsageError);
  counter.add("Größe", 1);
  EXPECT_EQ(counter.read().size(), 1u);
}

TEST(Work, SamplesGrowOverAttempts) {
  const testing::TemporaryDirectory scratch;
  const auto directory = RunDirectory::at(scratch.path() / "run");
  WorkLog(directory, 1).sample({}, 500'000'000);
  EXPECT_FALSE(read_file(directory.events() / "work.csv"));
  WorkLog(directory, 1).sample({{"frames", {7, 3'000'000'000}}}, 2'000'000'000);
  WorkLog(directory, 2).sample({{"frames", {1.5, 2'500'000'000}}, {"games", {2, 2'600'000'000}}}, 0);
  EXPECT_EQ(read_file(directory.events() / "work.csv"),
            "attempt,seconds,unit,amount\n1,1.000,frames,7\n2,2.500,frames,1.5\n2,2.600,games,2\n");
  WorkLog(RunDirectory(), 1).sample({{"frames", {7, 0}}}, 1);  // leaves nothing, anywhere
}

}  // namespace
}  // namespace slipway
