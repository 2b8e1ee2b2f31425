// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/batch_script.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "jobs.hpp"
#include "slipway/base/error.hpp"

namespace slipway::slurm {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

MachineProfile generic() { return load_machine("generic", shipped_machines()); }

// SLIPWAY_WRITE_GOLDEN=1 writes the files anew, for a look at `git diff`.
void expect_kept(const std::filesystem::path& file, const std::string& script) {
  if (std::getenv("SLIPWAY_WRITE_GOLDEN")) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << script;
  }
  std::ifstream stream(file);
  std::ostringstream kept;
  kept << stream.rdbuf();
  EXPECT_EQ(script, kept.str()) << "the script differs from " << file;
}

void expect_golden(const std::string& name, const std::string& script) {
  expect_kept(std::filesystem::path(GOLDEN_SCRIPTS) / (name + ".sbatch"), script);
}

TEST(GoldenScript, OfEachMachine) {
  for (const auto& file : find_machines(shipped_machines())) {
    const auto machine = load_machine(file.name, shipped_machines());
    const JobSpec job = job_for(machine);
    ASSERT_THAT(problems_of(job, machine), IsEmpty()) << file.name;
    expect_golden("machine-" + file.name, batch_script(job, machine));
  }
}

TEST(GoldenScript, OfASeriesOfRuns) {
  JobSpec series = plain_job();
  series.notice.margin = 0s;
  expect_golden("feature-series",
                series_script(series, generic(), {"/study/points/nodes-2-run-1", "/it's a study/points/nodes-1-run-1"}));
  series.time = -1s;
  series.node_sets.front().nodes = 0;
  EXPECT_THROW(series_script(series, generic(), {"/a"}), UsageError);
}

TEST(GoldenScript, OfEachFeature) {
  JobSpec requeue = plain_job();
  requeue.notice = {.margin = 300s, .most_restarts = 5};
  expect_golden("feature-requeue", batch_script(requeue, generic()));

  JobSpec node_failure = plain_job();
  node_failure.notice.requeue_on_node_failure = true;
  expect_golden("feature-node-failure", batch_script(node_failure, generic()));

  JobSpec array = plain_job();
  array.array = "0-99%8";
  array.notice.most_restarts = 2;
  expect_golden("feature-array", batch_script(array, generic()));

  JobSpec cores = plain_job();
  cores.core_dumps = true;
  expect_golden("feature-core-dumps", batch_script(cores, generic()));

  JobSpec mpirun = plain_job();
  mpirun.launcher = "mpirun";
  expect_golden("feature-mpirun", batch_script(mpirun, generic()));

  JobSpec parts = plain_job();
  parts.node_sets = {{.nodes = 1, .ranks_per_node = 1, .cores_per_rank = 4, .gpus_per_node = 4},
                     {.nodes = 3, .ranks_per_node = 8, .cores_per_rank = 1, .program = {"./train-cpu"}}};
  expect_golden("feature-heterogeneous", batch_script(parts, generic()));

  parts.one_allocation = true;
  parts.command = {"./train", "--title", "it's 100% $HOME", "%t"};
  expect_golden("feature-one-allocation", batch_script(parts, generic()));

  JobSpec options = plain_job();
  options.account = "project1";
  options.partition = "main";
  options.qos = "high";
  options.reservation = "course";
  options.constraint = "a100&nvme";
  options.begin = "now+1hour";
  options.deadline = "2027-01-01T00:00:00";
  options.dependency = "afterok:17";
  options.hold = true;
  options.exclusive = true;
  options.mail_type = "END,FAIL";
  options.mail_user = "ada@example.org";
  options.comment = "second try: \"warm\" start #2";
  options.licenses = "matlab:2";
  options.network = "single_node_vni";
  options.exclude = "node[7-9]";
  options.node_list = "node[1-4]";
  options.distribution = "block:cyclic";
  options.extra_directives = {"--switches=1@60"};
  options.prologue = "module purge\nmodule load gcc openmpi";
  options.environment = {{"OMP_PROC_BIND", "true"}, {"TITLE", "it's $HOME"}};
  options.node_sets.front().memory_mib = 1536;
  expect_golden("feature-all-options", batch_script(options, generic()));
}

TEST(JobScripts, AreCurrent) {
  const std::map<std::string, std::vector<std::string>> examples{
      {"producer_consumer", {"./producer_consumer"}},
      {"parameter_server", {"./parameter_server", "--trainers", "12", "--shards", "4"}},
      {"map_reduce", {"./map_reduce", "--mappers", "12", "--reducers", "4"}},
      {"evolution_strategies", {"./evolution_strategies", "--evaluators", "15"}}};
  for (const auto& file : find_machines(shipped_machines())) {
    const auto machine = load_machine(file.name, shipped_machines());
    for (const auto& [name, command] : examples) {
      JobSpec job = job_for(machine);
      job.name = name;
      job.command = command;
      job.made_by.clear();
      job.working_directory.clear();
      job.run_directory.clear();
      job.node_sets.front().gpus_per_node = 0;  // the examples compute on cores
      job.node_sets.front().nodes = 2;
      job.node_sets.front().cores_per_rank = 2;
      if (machine.node_types.front().cores_per_gpu > 0) job.node_sets.front() = job_for(machine).node_sets.front();
      expect_kept(std::filesystem::path(JOB_SCRIPTS) / file.name / (name + ".sbatch"), batch_script(job, machine));
    }
  }
}

std::string refusal(const JobSpec& job, const MachineProfile& machine) {
  try {
    batch_script(job, machine);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no refusal";
}

TEST(BatchScript, ImpossibleSizesNameTheNumberAndWhatItIsTooLargeFor) {
  const auto frontier = load_machine("frontier", shipped_machines());
  JobSpec job = job_for(frontier);
  job.node_sets.front() = {.nodes = 2, .ranks_per_node = 8, .cores_per_rank = 8};
  EXPECT_THAT(refusal(job, frontier),
              AllOf(HasSubstr("8 ranks with 8 cores each are 64 cores a node"), HasSubstr("have 56 of 64 for jobs")));
  job.node_sets.front() = {.nodes = 2, .ranks_per_node = 8, .cores_per_rank = 7, .gpus_per_node = 9};
  EXPECT_THAT(refusal(job, frontier), HasSubstr("9 GPUs a node are too many"));
  job.node_sets.front() = {.nodes = 0};
  EXPECT_THAT(refusal(job, frontier), HasSubstr("each number must be 1 or more"));
}

TEST(BatchScript, WhatAMachineForbidsIsRefusedWithTheReason) {
  const auto vista = load_machine("vista", shipped_machines());
  JobSpec job = job_for(vista);
  job.node_sets.front().memory_mib = 1024;
  EXPECT_THAT(refusal(job, vista), HasSubstr("--mem is not for machine 'vista' ("));
}

TEST(BatchScript, WhatAMachineNeedsIsAskedFor) {
  const auto lumi = load_machine("lumi", shipped_machines());
  JobSpec job = job_for(lumi);
  job.account.clear();
  EXPECT_THAT(refusal(job, lumi), HasSubstr("no account is given (machine 'lumi' takes no job without one)"));
}

TEST(BatchScript, AllProblemsAreToldAtOnce) {
  JobSpec job = plain_job();
  job.name = "my run";
  job.command.clear();
  job.run_directory = "runs";
  job.array = "a-b";
  job.notice = {.signal = "KILL", .margin = 2h};
  job.environment = {{"1A", ""}};
  job.extra_directives = {"switches=1"};
  const auto problems = problems_of(job, generic());
  for (const char* const part :
       {"'my run' is no name", "no program", "'runs' is no absolute", "'a-b' is no array", "'KILL' is no signal",
        "the notice comes 7200 s before", "'1A' is no name", "'switches=1' is no option"}) {
    EXPECT_THAT(problems, Contains(HasSubstr(part)));
  }
}

TEST(BatchScript, ALineBreakInAnOptionIsRefused) {
  JobSpec job = plain_job();
  job.comment = "a\nrm -rf /";
  EXPECT_THAT(refusal(job, generic()), HasSubstr("--comment has a line break"));
}

TEST(BatchScript, ALineBreakInTheCommandLineStaysInItsComment) {
  JobSpec job = plain_job();
  job.made_by = "slipway submit ./train 'a\nrm -rf /'";
  EXPECT_THAT(batch_script(job, generic()), HasSubstr("#   slipway submit ./train 'a\\x0arm -rf /'\n"));
}

TEST(BatchScript, EqualJobsGiveEqualBytes) {
  EXPECT_EQ(batch_script(plain_job(), generic()), batch_script(plain_job(), generic()));
}

TEST(BatchScript, AnEditedOneIsNoticed) {
  const std::string script = batch_script(plain_job(), generic());
  EXPECT_FALSE(edited_by_hand(script));
  std::string edited = script;
  edited.replace(edited.find("--nodes=4"), 9, "--nodes=8");
  EXPECT_TRUE(edited_by_hand(edited));
  EXPECT_TRUE(edited_by_hand(script + "\n"));
  EXPECT_TRUE(edited_by_hand("#!/bin/bash\nsrun ./train\n"));
}

TEST(BatchScript, LimitsOfQueuesOnlyWarn) {
  const auto vista = load_machine("vista", shipped_machines());
  JobSpec job = job_for(vista);
  job.time = 49h;
  EXPECT_THAT(problems_of(job, vista), IsEmpty());
  EXPECT_THAT(warnings_of(job, vista), Contains(HasSubstr("this one wants 2-01:00:00")));
}

JobSpec job_of_parts() {
  JobSpec job = plain_job();
  job.node_sets = {
      {.nodes = 1, .ranks_per_node = 2, .cores_per_rank = 2, .gpus_per_node = 4, .memory_mib = 1000},
      {.nodes = 3, .ranks_per_node = 5, .cores_per_rank = 1, .memory_mib = 2000, .program = {"./cpu-train"}}};
  return job;
}

TEST(OneAllocation, IsTakenWhereThereAreNoHeterogeneousJobs) {
  MachineProfile machine = generic();
  EXPECT_THAT(batch_script(job_of_parts(), machine), HasSubstr("#SBATCH hetjob\n"));
  machine.het_jobs = HetJobs::no;
  const std::string script = batch_script(job_of_parts(), machine);
  EXPECT_THAT(script, Not(HasSubstr("#SBATCH hetjob")));
  EXPECT_THAT(warnings_of(job_of_parts(), machine), IsEmpty());
}

TEST(OneAllocation, ANodeHoldsWhatAnyPartWantsOfIt) {
  JobSpec job = job_of_parts();
  job.one_allocation = true;
  MachineProfile machine = generic();
  for (const char* const part :
       {"--nodes=4\n", "--ntasks-per-node=1\n", "--cpus-per-task=5\n", "--gpus-per-node=4\n", "--mem=2000M\n"}) {
    EXPECT_THAT(batch_script(job, machine), HasSubstr(std::string("#SBATCH ") + part));
  }
  machine.cpus_per_task = false;
  EXPECT_THAT(batch_script(job, machine),
              AllOf(HasSubstr("#SBATCH --ntasks-per-node=5\n"), Not(HasSubstr("#SBATCH --cpus-per-task"))));
}

TEST(OneAllocation, WhatDiffersBetweenItsNodesIsRefused) {
  MachineProfile machine = generic();
  machine.node_types = {NodeType{.name = "gpu"}, NodeType{.name = "cpu"}};
  JobSpec job = job_of_parts();
  job.one_allocation = true;
  job.node_sets[1].node_type = "cpu";
  EXPECT_THAT(problems_of(job, machine),
              ElementsAre(HasSubstr("nodes of the types 'gpu' and 'cpu' cannot be in one "
                                    "allocation (all of its nodes are equal); take one type, or "
                                    "leave --one-allocation out")));
  job.node_sets[1].node_type = "gpu";
  EXPECT_THAT(problems_of(job, machine), IsEmpty());
  job.node_sets[1].gpus_per_node = 2;
  EXPECT_THAT(problems_of(job, machine), ElementsAre(HasSubstr("4 and 2 GPUs a node cannot be in one allocation")));
  job.node_sets[1].gpus_per_node = 0;
  job.distribution = "cyclic";
  EXPECT_THAT(problems_of(job, machine), ElementsAre(HasSubstr("--distribution cannot be had in one allocation")));
  job.distribution.clear();
  job.launcher = "mpirun";
  EXPECT_THAT(problems_of(job, machine), ElementsAre(HasSubstr("need srun")));
  job.launcher.reset();
  job.array = "0-3";
  EXPECT_THAT(problems_of(job, machine), IsEmpty());
  machine.gpu_request = GpuRequest::gpus_per_task;
  EXPECT_THAT(problems_of(job, machine), ElementsAre(HasSubstr("gives them by rank, and ranks differ")));
}

TEST(OneAllocation, TimeByNodesCountsAllOfThem) {
  MachineProfile machine = generic();
  machine.partitions = {Queue{
      .name = "main", .time_by_nodes = {{.most_nodes = 3, .most_time = 1h}, {.most_time = 2h}}, .is_default = true}};
  JobSpec job = job_of_parts();
  EXPECT_THAT(problems_of(job, machine), SizeIs(2)) << "90 minutes are too long for either component";
  job.one_allocation = true;
  EXPECT_THAT(problems_of(job, machine), IsEmpty());
}

}  // namespace
}  // namespace slipway::slurm
