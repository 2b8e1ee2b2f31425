// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <chrono>

#include "jobs.hpp"
#include "slipway/slurm/batch_script.hpp"
#include "slipway/slurm/layout.hpp"

namespace slipway::slurm {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

JobSpec job_of(std::uint32_t nodes, std::chrono::seconds time) {
  JobSpec job = plain_job();
  job.node_sets = {{.nodes = nodes, .ranks_per_node = 2, .cores_per_rank = 4}};
  job.time = time;
  return job;
}

// One partition, "main", into which all jobs go.
MachineProfile machine_with(Queue queue) {
  MachineProfile machine;
  machine.name = "ours";
  queue.name = "main";
  queue.is_default = true;
  machine.partitions = {std::move(queue)};
  machine.node_types = {NodeType{.name = "node", .memory_mib = 64'000}};
  return machine;
}

MachineProfile machine_with_bins() {
  return machine_with({.time_by_nodes = {{.most_nodes = 10, .most_time = 2h}, {.most_nodes = 20, .most_time = 6h}}});
}

TEST(TimeByNodes, AJobLongerThanItsBinIsRefusedWithTheNumbers) {
  EXPECT_THAT(problems_of(job_of(10, 2h), machine_with_bins()), IsEmpty());
  EXPECT_THAT(problems_of(job_of(11, 6h), machine_with_bins()), IsEmpty());
  EXPECT_THAT(
      problems_of(job_of(10, 3h), machine_with_bins()),
      ElementsAre("03:00:00 are too long for 10 nodes (partition 'main' of machine 'ours' gives jobs on 1 to 10 "
                  "nodes up to 02:00:00); take 02:00:00, or 11 nodes"));
  EXPECT_THAT(
      problems_of(job_of(11, 7h), machine_with_bins()),
      ElementsAre("07:00:00 are too long for 11 nodes (partition 'main' of machine 'ours' gives jobs on 11 to 20 "
                  "nodes up to 06:00:00); take 06:00:00"));
}

TEST(TimeByNodes, MoreNodesThanTheLastBinAreRefused) {
  EXPECT_THAT(
      problems_of(job_of(21, 1h), machine_with_bins()),
      ElementsAre(HasSubstr("21 nodes are too many (partition 'main' of machine 'ours' takes jobs on up to 20)")));
}

TEST(TimeByNodes, OnlyWarnsWhereTheProfileIsUnsure) {
  for (const char* const field : {"partitions.main.time_by_nodes", "partitions.main", "partitions"}) {
    MachineProfile machine = machine_with_bins();
    machine.unsure = {{field, "an old page"}};
    EXPECT_THAT(problems_of(job_of(10, 3h), machine), IsEmpty()) << field;
    EXPECT_THAT(warnings_of(job_of(10, 3h), machine), ElementsAre(HasSubstr("are too long for 10 nodes"))) << field;
  }
  MachineProfile machine = machine_with_bins();
  machine.unsure = {{"partitions.main.time_by", "no such field"}, {"partitions.mainly", "another"}};
  EXPECT_THAT(problems_of(job_of(10, 3h), machine), Not(IsEmpty()));
}

TEST(TimeByNodes, IsOfTheQueueThatTheJobNames) {
  JobSpec job = job_of(10, 3h);
  job.partition = "another";
  EXPECT_THAT(problems_of(job, machine_with_bins()), IsEmpty());
}

TEST(TimeByNodes, OfAQualityCountsToo) {
  MachineProfile machine = machine_with_bins();
  machine.partitions.swap(machine.qualities);
  EXPECT_THAT(problems_of(job_of(1, 3h), machine), ElementsAre(HasSubstr("1 node (qos 'main' of machine 'ours'")));
}

TEST(TimeByNodes, OfFrontier) {
  const auto frontier = load_machine("frontier", shipped_machines());
  JobSpec job = job_for(frontier);
  for (const auto& [nodes, time] : {std::pair{91u, 2h}, {92u, 6h}, {183u, 6h}, {184u, 12h}, {9000u, 12h}}) {
    job.node_sets.front().nodes = nodes;
    job.time = time;
    EXPECT_THAT(problems_of(job, frontier), IsEmpty()) << nodes;
    job.time = time + 1min;
    EXPECT_THAT(problems_of(job, frontier), Contains(HasSubstr("partition 'batch' of machine 'frontier'"))) << nodes;
  }
  job.node_sets.front().nodes = 64;
  job.time = 24h;
  job.partition = "extended";
  EXPECT_THAT(problems_of(job, frontier), IsEmpty());
}

TEST(MemoryOfAQueue, PerCoreIsAskedForByCpu) {
  MachineProfile machine = machine_with({.memory = MemoryRequest::per_core, .memory_mib_per_core = 1750});
  JobSpec job = job_of(1, 1h);
  EXPECT_THAT(batch_script(job, machine), AllOf(HasSubstr("#SBATCH --mem-per-cpu=1750M\n"), Not(HasSubstr("--mem="))));
  EXPECT_THAT(warnings_of(job, machine), IsEmpty());
  job.node_sets.front().memory_mib = 16'001;  // of 8 cores
  EXPECT_THAT(batch_script(job, machine), HasSubstr("#SBATCH --mem-per-cpu=2001M\n"));
  EXPECT_THAT(warnings_of(job, machine), ElementsAre(HasSubstr("16001 MiB for 8 cores a node are more than partition "
                                                               "'main' gives with them (1750 MiB each)")));
  machine.cpu_unit = CpuUnit::thread;
  machine.node_types.front().threads_per_core = 2;
  EXPECT_THAT(batch_script(job, machine), HasSubstr("#SBATCH --mem-per-cpu=1001M\n"));
}

TEST(MemoryOfAQueue, AllOfTheNodeIsAskedForAsSuch) {
  JobSpec job = job_of(1, 1h);
  job.node_sets.front().all_memory = true;
  const auto machine = machine_with({.memory = MemoryRequest::per_core, .memory_mib_per_core = 1750});
  EXPECT_THAT(batch_script(job, machine), HasSubstr("#SBATCH --mem=0\n"));
}

TEST(MemoryOfAQueue, NeverIsRefusedWithWhatComesInstead) {
  const auto machine = machine_with({.memory = MemoryRequest::never, .memory_mib_per_core = 2000});
  JobSpec job = job_of(1, 1h);
  EXPECT_THAT(batch_script(job, machine), Not(HasSubstr("--mem")));
  job.node_sets.front().memory_mib = 20'001;
  EXPECT_THAT(
      problems_of(job, machine),
      ElementsAre("memory cannot be asked for (partition 'main' of machine 'ours' gives it with the cores, which "
                  "come with 2000 MiB each); leave --memory out and take 11 cores a node"));
  job.node_sets.front().memory_mib = 0;
  job.node_sets.front().all_memory = true;
  EXPECT_THAT(problems_of(job, machine), ElementsAre(HasSubstr("leave --memory out")));
}

TEST(MemoryOfAQueue, TheGraphsIsNotAskedForWhereItCannotBe) {
  const Demand demand{.memory_mib = 4096};
  EXPECT_EQ(layout_for(demand, {}, machine_with({.memory = MemoryRequest::never})).nodes.memory_mib, 0u);
  EXPECT_EQ(layout_for(demand, {}, machine_with({.memory = MemoryRequest::omit})).nodes.memory_mib, 4096u);
}

TEST(MemoryOfAQueue, BeatsTheMachines) {
  MachineProfile machine = machine_with({.memory = MemoryRequest::omit});
  machine.memory = MemoryRequest::all;
  EXPECT_THAT(batch_script(job_of(1, 1h), machine), Not(HasSubstr("--mem")));
  machine.partitions.front().memory = MemoryRequest::explicit_amount;
  EXPECT_THAT(batch_script(job_of(1, 1h), machine), HasSubstr("#SBATCH --mem=64000M\n"));
  machine.qualities = {Queue{.name = "low", .memory = MemoryRequest::omit}};
  JobSpec job = job_of(1, 1h);
  job.qos = "low";
  EXPECT_THAT(batch_script(job, machine), HasSubstr("#SBATCH --mem=64000M\n")) << "the partition's comes first";
  machine.partitions.front().memory.reset();
  EXPECT_THAT(batch_script(job, machine), Not(HasSubstr("--mem")));
}

TEST(MemoryOfAQueue, OfShippedMachines) {
  const auto lumi = load_machine("lumi", shipped_machines());
  JobSpec job = job_for(lumi);
  EXPECT_THAT(batch_script(job, lumi), HasSubstr("#SBATCH --mem=0\n"));
  job.partition = "small";
  EXPECT_THAT(batch_script(job, lumi), AllOf(HasSubstr("#SBATCH --mem-per-cpu=1750M\n"), Not(HasSubstr("--mem="))));
  const auto leonardo = load_machine("leonardo", shipped_machines());
  job = job_for(leonardo);
  job.partition = "lrd_all_serial";
  EXPECT_THAT(batch_script(job, leonardo), Not(HasSubstr("--mem")));
}

}  // namespace
}  // namespace slipway::slurm
