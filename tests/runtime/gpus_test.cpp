// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/gpus.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "slipway/base/error.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

VisibleGpus seen_in(const std::map<std::string, std::string>& variables) {
  const auto get = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return visible_gpus(get, "/no/devices");
}

std::vector<std::string> devices(std::uint32_t local_rank, std::uint32_t local_ranks, const std::string& list,
                                 const std::vector<std::uint32_t>& order = {}) {
  return gpus_of_rank(seen_in({{"CUDA_VISIBLE_DEVICES", list}}), {.rank = local_rank, .ranks = local_ranks}, order)
      .devices;
}

TEST(VisibleGpus, AreWhatTheVariableLists) {
  EXPECT_THAT(seen_in({}).devices, IsEmpty());
  EXPECT_EQ(seen_in({}).variable, "");
  EXPECT_THAT(seen_in({{"CUDA_VISIBLE_DEVICES", "2,3"}}).devices, ElementsAre("2", "3"));
  EXPECT_THAT(seen_in({{"CUDA_VISIBLE_DEVICES", ""}}).devices, IsEmpty());
  EXPECT_THAT(seen_in({{"CUDA_VISIBLE_DEVICES", "NoDevFiles"}}).devices, IsEmpty());
  EXPECT_THAT(seen_in({{"ROCR_VISIBLE_DEVICES", "GPU-a1, MIG-7/1/0"}}).devices, ElementsAre("GPU-a1", "MIG-7/1/0"));
  EXPECT_EQ(seen_in({{"ROCR_VISIBLE_DEVICES", "1"}, {"CUDA_VISIBLE_DEVICES", "0"}}).variable, "CUDA_VISIBLE_DEVICES");
}

TEST(VisibleGpus, AreAllDevicesWhereNobodyListsThem) {
  const testing::TemporaryDirectory dev;
  for (const char* const name : {"nvidia0", "nvidia1", "nvidiactl"}) std::ofstream(dev.path() / name) << "";
  const auto seen = visible_gpus([](const char*) { return nullptr; }, dev.path());
  EXPECT_EQ(seen.variable, "CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(seen.devices, ElementsAre("0", "1"));
}

TEST(VisibleGpus, AreAsManyAsSlurmSaysWhereItListsNone) {
  EXPECT_THAT(seen_in({{"SLURM_GPUS_ON_NODE", "2"}}).devices, ElementsAre("0", "1"));
  EXPECT_THAT(seen_in({{"SLURM_GPUS_ON_NODE", "2"}, {"CUDA_VISIBLE_DEVICES", "3"}}).devices, ElementsAre("3"));
}

TEST(GpusOfRank, CountOnTheVisibleList) {
  EXPECT_THAT(devices(0, 2, "4,5,6,7"), ElementsAre("4", "5"));
  EXPECT_THAT(devices(1, 2, "4,5,6,7"), ElementsAre("6", "7"));
  EXPECT_THAT(devices(3, 4, "GPU-a,GPU-b,GPU-c,GPU-d"), ElementsAre("GPU-d"));
}

TEST(GpusOfRank, EachDeviceIsUsedWhereNumbersDoNotFit) {
  EXPECT_THAT(devices(0, 3, "0,1,2,3"), ElementsAre("0"));
  EXPECT_THAT(devices(1, 3, "0,1,2,3"), ElementsAre("1"));
  EXPECT_THAT(devices(2, 3, "0,1,2,3"), ElementsAre("2", "3"));
}

TEST(GpusOfRank, RanksBeyondTheDevicesShareThemEvenly) {
  std::map<std::string, int> users;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    const auto share = gpus_of_rank(seen_in({{"CUDA_VISIBLE_DEVICES", "0,1,2,3"}}), {.rank = rank, .ranks = 8});
    ASSERT_EQ(share.devices.size(), 1U);
    EXPECT_TRUE(share.shared);
    EXPECT_EQ(share.amount, 0.5);
    ++users[share.devices.front()];
  }
  for (const auto& [device, count] : users) EXPECT_EQ(count, 2) << device;
}

TEST(GpusOfRank, WhatTheLauncherDealtIsTakenWhole) {
  const auto share =
      gpus_of_rank(seen_in({{"CUDA_VISIBLE_DEVICES", "3"}}), {.rank = 3, .ranks = 4, .same_list = false});
  EXPECT_THAT(share.devices, ElementsAre("3"));
  EXPECT_FALSE(share.shared);
}

TEST(GpusOfRank, OneDeviceForEachTaskIsNotShared) {  // control groups number each task's own device 0
  const auto seen = seen_in({{"CUDA_VISIBLE_DEVICES", "0"}, {"SLURM_GPUS_ON_NODE", "4"}});
  const auto share = gpus_of_rank(seen, {.rank = 2, .ranks = 4});
  EXPECT_THAT(share.devices, ElementsAre("0"));
  EXPECT_EQ(share.amount, 1);
}

TEST(GpusOfRank, ANodeThatWantsWholeDevicesGetsThem) {
  const auto seen = seen_in({{"CUDA_VISIBLE_DEVICES", "0,1,2,3"}});
  double all = 0;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    const double amount = gpus_of_rank(seen, {.rank = rank, .ranks = 8, .wanted = 1}).amount;
    EXPECT_EQ(amount, rank < 4 ? 1 : 0) << rank;
    all += amount;
  }
  EXPECT_EQ(all, 4);
  EXPECT_THAT(gpus_of_rank(seen, {.rank = 1, .ranks = 4, .wanted = 2}).devices, ElementsAre("2", "3"));
  EXPECT_THAT(gpus_of_rank(seen, {.rank = 2, .ranks = 4, .wanted = 2}).devices, IsEmpty());
  EXPECT_THAT(gpus_of_rank(seen, {.rank = 1, .ranks = 2, .wanted = 1}).devices, ElementsAre("2", "3"));
}

TEST(GpusOfRank, TheOrderOfTheMachineCounts) {
  EXPECT_THAT(devices(0, 4, "0,1,2,3", {3, 2, 1, 0}), ElementsAre("3"));
  EXPECT_THAT(devices(1, 2, "0,1,2,3", {3, 2, 1, 0}), ElementsAre("1", "0"));
  EXPECT_THAT(devices(0, 2, "0,1", {3, 2, 1, 0}), ElementsAre("0")) << "a part of the node has another order";
}

TEST(GpuOrder, HasEachNumberOnce) {
  EXPECT_THAT(parse_gpu_order("4,5,2,3,6,7,0,1"), ElementsAre(4, 5, 2, 3, 6, 7, 0, 1));
  EXPECT_THAT(parse_gpu_order(""), IsEmpty());
  for (const char* const wrong : {"0,0", "1,2", "0,x", "-1,0"})
    EXPECT_THROW(parse_gpu_order(wrong), UsageError) << wrong;
}

}  // namespace
}  // namespace slipway
