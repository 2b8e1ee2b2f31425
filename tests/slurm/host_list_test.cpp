// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/host_list.hpp"

#include <gmock/gmock.h>

#include <random>

#include "slipway/base/error.hpp"

namespace slipway::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(HostList, ExpandsNamesAndRanges) {
  EXPECT_THAT(expand_host_list("node[1-3,7],login"), ElementsAre("node1", "node2", "node3", "node7", "login"));
  EXPECT_THAT(expand_host_list(""), IsEmpty());
  EXPECT_THAT(expand_host_list("a,,b,"), ElementsAre("a", "b"));
}

TEST(HostList, KeepsZerosInFront) {
  EXPECT_THAT(expand_host_list("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(expand_host_list("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(expand_host_list("nid[000998-001001]"), ElementsAre("nid000998", "nid000999", "nid001000", "nid001001"));
}

TEST(HostList, CountsTheLastDimensionFastest) {
  EXPECT_THAT(expand_host_list("rack[1-2]node[01-02]"),
              ElementsAre("rack1node01", "rack1node02", "rack2node01", "rack2node02"));
  EXPECT_THAT(expand_host_list("a[1-2]b[3-4]c[5-6]"),
              ElementsAre("a1b3c5", "a1b3c6", "a2b3c5", "a2b3c6", "a1b4c5", "a1b4c6", "a2b4c5", "a2b4c6"));
}

TEST(HostList, KnowsSuffixes) { EXPECT_THAT(expand_host_list("n[1-2]-ib"), ElementsAre("n1-ib", "n2-ib")); }

TEST(HostList, RefusesWhatIsNoList) {
  for (const char* const wrong : {"a[1", "a]1", "a[[1]]", "a[3-1]", "a[x]", "a[]", "a[1-]", "a[-1]", "a[1,]",
                                  "a[0-1000000]", "a[1-1000][1-1001]", "a[99999999999999999999]"}) {
    EXPECT_THROW(expand_host_list(wrong), UsageError) << wrong;
  }
  try {
    expand_host_list("a[3-1]");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the range '3-1' goes down"));
  }
}

TEST(HostList, CompressesRunsOnly) {
  EXPECT_EQ(compress_host_list(std::vector<std::string>{"n1", "n2", "n3", "n7", "login"}), "n[1-3,7],login");
  EXPECT_EQ(compress_host_list(std::vector<std::string>{"n08", "n09", "n10"}), "n[08-10]");
  EXPECT_EQ(compress_host_list(std::vector<std::string>{"n9", "n10"}), "n[9-10]");
  EXPECT_EQ(compress_host_list(std::vector<std::string>{"n9", "n010"}), "n[9,010]");
  EXPECT_EQ(compress_host_list(std::vector<std::string>{"n2", "n1", "n1"}), "n[2,1,1]");
  EXPECT_EQ(compress_host_list(std::vector<std::string>{"n1"}), "n1");
  EXPECT_EQ(compress_host_list(std::vector<std::string>{"a", "7", "b1-ib"}), "a,7,b1-ib");
  EXPECT_EQ(compress_host_list(std::vector<std::string>{}), "");
}

TEST(HostList, ComesBackUnchanged) {
  std::mt19937 random(1);
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const std::vector<std::string> prefixes{"n", "nid00", "rack1-", "a", "gpu", "x9y"};
  for (int round = 0; round < 10'000; ++round) {
    std::vector<std::string> names;
    for (unsigned run = below(5); run-- > 0;) {
      const std::string& prefix = prefixes[below(6)];
      const unsigned first = below(1200);
      const std::size_t width = below(5);
      for (unsigned i = 0; i <= below(4); ++i) {
        std::string digits = std::to_string(first + i);
        if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
        names.push_back(prefix + digits + (below(9) == 0 ? "-ib" : ""));
      }
    }
    const std::string list = compress_host_list(names);
    ASSERT_EQ(expand_host_list(list), names) << list;
  }
}

TEST(HostList, ManyHosts) {
  const auto names = expand_host_list("nid[000001-100000]");
  EXPECT_THAT(names, SizeIs(100'000));
  EXPECT_EQ(compress_host_list(names), "nid[000001-100000]");
}

}  // namespace
}  // namespace slipway::slurm
