// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/rank_resources.hpp"

#include <gmock/gmock.h>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::ThrowsMessage;

TEST(RankResources, NamesAndAmountsAreReadOrRefused) {
  EXPECT_THAT(parse_named_resources(""), IsEmpty());
  EXPECT_THAT(parse_named_resources("camera=1, licence =2.5"), ElementsAre(Pair("camera", 1), Pair("licence", 2.5)));
  for (const char* const wrong : {"camera", "camera=", "=1", "camera=0", "camera=-1", "camera=x", "camera=1x", "a=1,",
                                  "a=1,a=2", "a=inf", "a=nan", "a=1e999"}) {
    EXPECT_THAT([&] { parse_named_resources(wrong); }, ThrowsMessage<UsageError>(HasSubstr("--slipway-resources")))
        << wrong;
  }
}

class UsableMemory : public ::testing::Test {
 protected:
  void write(const char* file, const char* text) {
    std::filesystem::create_directories((scratch_.path() / file).parent_path());
    write_file_atomically(scratch_.path() / file, text);
  }
  std::uint64_t memory(const char* of_slurm = nullptr) const {
    return usable_memory([&](std::string_view name) { return name == "SLURM_MEM_PER_NODE" ? of_slurm : nullptr; },
                         scratch_.path());
  }

 private:
  testing::TemporaryDirectory scratch_;
};

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

TEST_F(UsableMemory, IsUnknownWhereNobodyTells) { EXPECT_EQ(memory(), 0u); }

TEST_F(UsableMemory, IsTheLeastOfAllLimits) {
  write("proc/meminfo", "MemFree:  1 kB\nMemTotal:       16777216 kB\n");
  EXPECT_EQ(memory(), 16 * gibibyte);
  write("proc/self/cgroup", "0::/slurm/job_1/step_0\n");
  write("sys/fs/cgroup/slurm/job_1/step_0/memory.max", "max\n");
  EXPECT_EQ(memory(), 16 * gibibyte);
  write("sys/fs/cgroup/slurm/job_1/memory.max", "8589934592\n");
  EXPECT_EQ(memory(), 8 * gibibyte) << "the limit of a group above counts";
  EXPECT_EQ(memory("4096"), 4 * gibibyte);
  EXPECT_EQ(memory("0"), 8 * gibibyte) << "all of the node";
}

TEST_F(UsableMemory, ControlGroupsOfTheFirstVersion) {
  write("proc/meminfo", "MemTotal:       16777216 kB\n");
  write("proc/self/cgroup", "5:memory:/docker/a\n3:cpu:/docker/a\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");  // a container sees its own group as the root
  EXPECT_EQ(memory(), 2 * gibibyte);
}

TEST(RankResources, ThisHostHasMemory) {
  EXPECT_GT(usable_memory([](const char*) -> const char* { return nullptr; }), std::uint64_t{64} << 20);
}

}  // namespace
}  // namespace slipway
