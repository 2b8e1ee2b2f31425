// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Study, EachPointRunsOnceInAShuffledOrder) {
  const auto points = shuffled_points({1, 2, 4, 8}, 5, 42);
  ASSERT_EQ(points.size(), 20u);
  for (const std::uint32_t size : {1u, 2u, 4u, 8u}) {
    for (std::uint32_t repeat = 1; repeat <= 5; ++repeat) {
      EXPECT_EQ(std::count(points.begin(), points.end(), Point{size, repeat}), 1);
    }
  }
  EXPECT_FALSE(std::is_sorted(points.begin(), points.end(),
                              [](const Point& left, const Point& right) { return left.size < right.size; }));
  EXPECT_EQ(points, shuffled_points({1, 2, 4, 8}, 5, 42));
  EXPECT_NE(points, shuffled_points({1, 2, 4, 8}, 5, 43));
  const std::vector<Point> kept{{1, 2}, {2, 1}, {1, 1}, {2, 2}};  // on every machine, for ever
  EXPECT_EQ(shuffled_points({1, 2}, 2, 7), kept);
}

TEST(Study, SizesAreReadOrRefused) {
  EXPECT_THAT(parse_sizes("--nodes", "8,1, 2"), ElementsAre(1, 2, 8));
  for (const char* const wrong : {"", "0", "-1", "1,,2", "two", "1.5", "1000001", "99999999999999999999"}) {
    EXPECT_THAT([&] { parse_sizes("--nodes", wrong); }, ThrowsMessage<UsageError>(HasSubstr("whole numbers"))) << wrong;
  }
  EXPECT_THAT([] { parse_sizes("--nodes", "2,4,2"); }, ThrowsMessage<UsageError>(HasSubstr("2 twice")));
}

TEST(Study, PlaceholdersAreFilled) {
  const std::map<std::string, std::uint64_t> values{{"nodes", 4}, {"repeat", 3}};
  EXPECT_THAT(
      filled({"./p", "--cells={nodes*1000}x{nodes}", "{repeat}", "{}", "{other}", "{nodes*}", "a{b", "{{nodes}}"},
             values),
      ElementsAre("./p", "--cells=4000x4", "3", "{}", "{other}", "{nodes*}", "a{b", "{4}"));
  EXPECT_THAT([&] { filled({"{ranks}"}, values); }, ThrowsMessage<UsageError>(HasSubstr("--ranks-per-node")));
  EXPECT_TRUE(uses({"a", "b{nodes*2}"}, "nodes"));
  EXPECT_FALSE(uses({"a", "{nodesx}"}, "nodes"));
}

TEST(Study, IsReadBackAsItWasWritten) {
  const testing::TemporaryDirectory scratch;
  EXPECT_FALSE(read_study(scratch.path()));
  const Study study{.name = "train",
                    .scaling = Scaling::weak,
                    .runner = Runner::steps,
                    .unit = "nodes",
                    .seed = 18446744073709551615u,
                    .order = {{2, 1}, {1, 1}},
                    .command = {"./train", "a b", "\"{nodes}\""},
                    .command_line = "slipway sweep",
                    .machine = "generic",
                    .binding = "cores",
                    .environment = {{"NAME", "value"}},
                    .ranks = {{1, 4}, {2, 8}},
                    .one_at_a_time = true,
                    .made = 17};
  write_study(scratch.path(), study);
  const auto read = read_study(scratch.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->scaling, Scaling::weak);
  EXPECT_EQ(read->runner, Runner::steps);
  EXPECT_EQ(read->seed, study.seed);
  EXPECT_EQ(read->order, study.order);
  EXPECT_EQ(read->command, study.command);
  EXPECT_EQ(read->environment, study.environment);
  EXPECT_EQ(read->ranks, study.ranks);
  EXPECT_TRUE(read->one_at_a_time);
  EXPECT_THAT(sizes_of(*read), ElementsAre(1, 2));
  EXPECT_EQ(repeats_of(*read), 1u);
  EXPECT_EQ(directory_of("/s", *read, {2, 1}), "/s/points/nodes-2-run-1");
}

TEST(Study, ADamagedOneIsNamed) {
  const testing::TemporaryDirectory scratch;
  for (const char* const text : {"", "{}", "[1", R"({"schema": 2})"}) {
    write_file_atomically(scratch.path() / "study.json", text);
    EXPECT_THAT([&] { read_study(scratch.path()); }, ThrowsMessage<UsageError>(HasSubstr("study.json"))) << text;
  }
}

}  // namespace
}  // namespace slipway::study
