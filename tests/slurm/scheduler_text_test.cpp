// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/scheduler_text.hpp"

#include <gmock/gmock.h>

namespace slipway::slurm {
namespace {

std::string id_in(std::string_view output) {
  const auto job = parse_job_id(output);
  return job ? job->id + (job->cluster.empty() ? "" : "@" + job->cluster) : "none";
}

TEST(JobId, EveryFormThatSbatchPrints) {
  EXPECT_EQ(id_in("Submitted batch job 17\n"), "17");
  EXPECT_EQ(id_in("17\n"), "17");
  EXPECT_EQ(id_in("17;blue\n"), "17@blue");
  EXPECT_EQ(id_in("Submitted batch job 17 on cluster blue\n"), "17@blue");
  EXPECT_EQ(id_in("-----\n Welcome, 2 jobs are yours\n-----\n--> Verifying ...OK\nSubmitted batch job 815\n"), "815");
  EXPECT_EQ(id_in("*** notice 2026 ***\n4711;green\n"), "4711@green");
}

TEST(JobId, NoneWhereNoneIs) {
  EXPECT_EQ(id_in(""), "none");
  EXPECT_EQ(id_in("sbatch: error: Batch job submission failed: Invalid account\n"), "none");
  EXPECT_EQ(id_in("Submitted batch job x\n"), "none");
}

TEST(Verdict, OfTheSchedulersWords) {
  EXPECT_EQ(verdict_of("PENDING"), Verdict::waiting);
  EXPECT_EQ(verdict_of("R"), Verdict::running);
  EXPECT_EQ(verdict_of("COMPLETED"), Verdict::good);
  EXPECT_EQ(verdict_of("CANCELLED by 1000"), Verdict::cancelled);
  EXPECT_EQ(verdict_of("CANCELLED+"), Verdict::cancelled);
  EXPECT_EQ(verdict_of("TIMEOUT"), Verdict::timed_out);
  EXPECT_EQ(verdict_of("NODE_FAIL\n"), Verdict::node_failed);
  EXPECT_EQ(verdict_of("PREEMPTED"), Verdict::preempted);
  EXPECT_EQ(verdict_of("OUT_OF_MEMORY"), Verdict::out_of_memory);
}

TEST(Verdict, ANewWordIsNeverSuccess) {
  for (const char* const word : {"", "COMPLETE", "completed", "COMPLETED_SOMEHOW", "DONE", "OK", "C"}) {
    EXPECT_EQ(verdict_of(word), Verdict::unknown) << word;
    EXPECT_FALSE(is_over(verdict_of(word))) << word;
  }
}

TEST(Verdict, OfAJobInPartsTheOneThatSaysWhy) {
  EXPECT_TRUE(tells_more(Verdict::running, Verdict::failed));
  EXPECT_TRUE(tells_more(Verdict::timed_out, Verdict::good));
  EXPECT_TRUE(tells_more(Verdict::node_failed, Verdict::cancelled));
  EXPECT_TRUE(tells_more(Verdict::failed, Verdict::cancelled));
  EXPECT_TRUE(tells_more(Verdict::unknown, Verdict::good));
  EXPECT_FALSE(tells_more(Verdict::good, Verdict::good));
  EXPECT_FALSE(tells_more(Verdict::cancelled, Verdict::failed));
}

TEST(ScontrolJob, ValuesMayHaveBlanks) {
  const auto fields = parse_scontrol_job(
      "JobId=3 JobName=train UserId=ada(1000) JobState=RUNNING Reason=None Comment=a b=c d "
      "Command=/home/ada/my run/batch.sh ReqB:S:C:T=0:0:*:* CPUs/Task=4 StdOut=/x\n");
  EXPECT_EQ(fields.at("JobId"), "3");
  EXPECT_EQ(fields.at("JobState"), "RUNNING");
  EXPECT_EQ(fields.at("Comment"), "a b=c d");
  EXPECT_EQ(fields.at("Command"), "/home/ada/my run/batch.sh");
  EXPECT_EQ(fields.at("ReqB:S:C:T"), "0:0:*:*");
  EXPECT_EQ(fields.at("CPUs/Task"), "4");
  EXPECT_EQ(fields.at("StdOut"), "/x");
}

}  // namespace
}  // namespace slipway::slurm
