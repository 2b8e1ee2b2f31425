// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/affinity.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <thread>

#include "slipway/runtime/launched_by.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;

LaunchedBy with(const std::map<std::string, std::string>& environment) {
  return launched_by([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(LaunchedBy, NobodyOutsideALauncher) {
  EXPECT_FALSE(with({{"HOME", "/"}}));
  EXPECT_FALSE(with({{"SLIPWAY_LAUNCHED", "1"}}));
}

TEST(LaunchedBy, KnowsLaunchersWithRankAndSize) {
  const auto open_mpi = with({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"PMIX_RANK", "3"}});
  EXPECT_EQ(open_mpi.launcher, "Open MPI mpirun");
  EXPECT_EQ(open_mpi.rank, 3u);
  EXPECT_EQ(open_mpi.size, 8u);
  EXPECT_FALSE(open_mpi.by_slipway);
  const auto hydra = with({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"SLIPWAY_LAUNCHED", "1"}});
  EXPECT_EQ(hydra.launcher, "PMI mpiexec");
  EXPECT_EQ(hydra.size, 2u);
  EXPECT_TRUE(hydra.by_slipway);
}

TEST(LaunchedBy, ATaskOfAStepIsARankAndABatchScriptIsNot) {
  EXPECT_FALSE(with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "7"}}));
  const auto task = with({{"SLURM_PROCID", "2"},
                          {"SLURM_NTASKS", "8"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_STEP_NUM_TASKS", "4"},
                          {"SLURM_SRUN_COMM_HOST", "10.0.0.1"},
                          {"PMI_RANK", "2"}});
  EXPECT_EQ(task.launcher, "Slurm srun");
  EXPECT_EQ(task.rank, 2u);
  EXPECT_EQ(task.size, 4u);
  EXPECT_FALSE(with({{"SLURM_PROCID", "0"},
                     {"SLURM_STEP_ID", "0"},
                     {"SLURM_SRUN_COMM_HOST", "10.0.0.1"},
                     {"SLURM_PTY_PORT", "33000"}}));
}

TEST(LaunchedBy, SeesWhetherBindingWasAskedFor) {
  EXPECT_TRUE(with({{"OMPI_COMM_WORLD_RANK", "0"}}).binds_by_habit);
  EXPECT_FALSE(with({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_MCA_hwloc_base_binding_policy", "core"}}).binds_by_habit);
  EXPECT_FALSE(with({{"PMI_RANK", "0"}}).binds_by_habit);
}

TEST(LaunchedBy, NonsenseIsNoNumber) {
  const auto launcher = with({{"PMI_RANK", "1x"}, {"PMI_SIZE", "-2"}});
  EXPECT_TRUE(launcher);
  EXPECT_EQ(launcher.rank, std::nullopt);
  EXPECT_EQ(launcher.size, std::nullopt);
}

TEST(Affinity, FormatsRanges) {
  EXPECT_EQ(format_cores({}), "none");
  EXPECT_EQ(format_cores({5}), "5");
  EXPECT_EQ(format_cores({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

TEST(Affinity, UsableIsAtLeastOneAndAtMostTheMask) {
  EXPECT_GE(usable_cores(), 1u);
  EXPECT_LE(usable_cores(), allowed_cores().size());
}

class ControlGroup : public ::testing::Test {
 protected:
  void put(const fs::path& file, const std::string& content) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << content;
  }
  double granted() { return granted_processor_time(root_ / "self", root_ / "fs"); }

  const testing::TemporaryDirectory directory_;
  const fs::path root_ = directory_.path();
};

TEST_F(ControlGroup, NoneIsNoLimit) { EXPECT_EQ(granted(), 0); }

TEST_F(ControlGroup, TightestOfVersion2Counts) {
  put("self", "0::/job/step\n");
  put("fs/job/step/cpu.max", "max 100000\n");
  EXPECT_EQ(granted(), 0);
  put("fs/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(granted(), 1.5);
  put("fs/job/step/cpu.max", "400000 100000\n");
  EXPECT_EQ(granted(), 1.5);
}

TEST_F(ControlGroup, Version1) {
  put("self", "5:memory:/x\n4:cpu,cpuacct:/docker\n");
  put("fs/cpu,cpuacct/docker/cpu.cfs_quota_us", "-1\n");
  put("fs/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted(), 0);
  put("fs/cpu,cpuacct/docker/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(granted(), 2);
}

// Runs the body in a child process that is bound to one core, as a rank of mpirun is.
template <class Body>
int in_bound_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(allowed_cores().front(), &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) ::_exit(100);
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

TEST(Affinity, WidensTheBindingOfHabit) {
  const std::size_t all = allowed_cores().size();
  const int failures = in_bound_child([all] {
    const auto widened = widen_affinity({.launcher = "Open MPI mpirun", .binds_by_habit = true}, 2);
    std::size_t in_thread = 0;
    std::thread([&] { in_thread = allowed_cores().size(); }).join();
    return (widened.before.size() == 1 ? 0 : 1) + (widened.after.size() == all ? 0 : 2) + (in_thread == all ? 0 : 4) +
           (widened.advice.empty() ? 0 : 8);
  });
  EXPECT_EQ(failures, 0);
}

TEST(Affinity, LeavesABindingThatWasAskedForAndAdvises) {
  const bool more_cores = allowed_cores().size() > 1;
  const int failures = in_bound_child([more_cores] {
    const auto kept = widen_affinity({.launcher = "Slurm srun"}, 2);
    return (kept.after.size() == 1 ? 0 : 1) +
           ((kept.advice.find("--cpus-per-task=2") != std::string::npos) == more_cores ? 0 : 2);
  });
  EXPECT_EQ(failures, 0);
}

TEST(Affinity, OutsideALauncherNothingHappens) {
  const auto untouched = widen_affinity({}, 1000);
  EXPECT_EQ(untouched.before, untouched.after);
  EXPECT_TRUE(untouched.advice.empty());
}

TEST(Affinity, DescribesTheBinding) {
  const auto text = describe_binding(3, 8, "alpha");
  EXPECT_EQ(text.find("rank 3 of 8 on alpha: cores " + format_cores(allowed_cores())), 0u) << text;
}

}  // namespace
}  // namespace slipway
