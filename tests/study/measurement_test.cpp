// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/measurement.hpp"

#include <gmock/gmock.h>

#include "slipway/observe/report.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t second = 1'000'000'000;

class MeasuredRun : public ::testing::Test {
 protected:
  MeasuredRun() { std::filesystem::create_directories(path()); }
  void write(const RunStatus& status, const Report& report) {
    write_file_atomically(path() / "status.json", to_json(status));
    write_file_atomically(path() / "report.json", to_json(report));
  }
  std::filesystem::path path() const { return directory_of(scratch_.path(), study_, {2, 1}); }
  Measurement measured(double warm_up = 0) const { return measure(scratch_.path(), study_, {2, 1}, warm_up); }

  Study study_{.unit = "nodes", .ranks = {{2, 8}}};
  const RunStatus good_{.state = RunState::ended, .exit_status = ExitStatus::good, .finished = true, .ranks = 8};
  const Report report_{.wall_time = 12 * second,
                       .starting = 1 * second,
                       .running = 10 * second,
                       .work = {{"frames", 1000, 10 * second}}};

 private:
  testing::TemporaryDirectory scratch_;
};

TEST_F(MeasuredRun, TellsItsTimesAndRates) {
  write(good_, report_);
  write_file_atomically(path() / "placement.json", R"({"hosts": [{"name": "n1"}, {"name": "n2"}],
      "ranks": [{"gpus": 2.0, "cores": "0-3"}, {"gpus": 1.0, "cores": "4-7"}]})");
  write_file_atomically(path() / "versions.json", R"({"slipway": "0.1.0"})");
  const auto run = measured();
  EXPECT_EQ(run.outcome, Outcome::good);
  EXPECT_EQ(run.ranks, 8u);
  EXPECT_DOUBLE_EQ(run.starting, 1);
  EXPECT_DOUBLE_EQ(run.running, 10);
  EXPECT_DOUBLE_EQ(run.stopping, 1);
  EXPECT_DOUBLE_EQ(run.rates.at("frames"), 100);
  EXPECT_DOUBLE_EQ(run.gpus, 3);
  EXPECT_THAT(run.hosts, ElementsAre("n1", "n2"));
  EXPECT_EQ(run.cores, "0-3");
  EXPECT_EQ(run.versions.at("slipway"), "0.1.0");
}

TEST_F(MeasuredRun, TheWarmUpIsLeftOut) {
  write(good_, report_);
  std::filesystem::create_directories(path() / "events");
  write_file_atomically(path() / "events" / "work.csv",
                        "attempt,seconds,unit,amount\n1,2.000,frames,100\n1,4.000,frames,300\n1,4.000,games,7\n");
  EXPECT_DOUBLE_EQ(measured(2).rates.at("frames"), 900 / 8.0);
  EXPECT_DOUBLE_EQ(measured(3).rates.at("frames"), 800 / 7.0) << "between the samples";
  EXPECT_DOUBLE_EQ(measured(7).rates.at("frames"), 350 / 3.0) << "between the last sample and the end";
  const auto cold = measured(10);
  EXPECT_EQ(cold.outcome, Outcome::good);
  EXPECT_TRUE(cold.rates.empty());
  EXPECT_THAT(cold.no_rate.at("frames"), HasSubstr("warm-up"));
}

TEST_F(MeasuredRun, OtherEndsAreNoMeasurements) {
  EXPECT_EQ(measured().outcome, Outcome::missing);
  write_file_atomically(path() / ".attempt-1", "");
  EXPECT_EQ(measured().outcome, Outcome::going_on) << "it has begun";
  RunStatus status = good_;
  status.exit_status = std::nullopt;
  write(status, report_);
  EXPECT_EQ(measured().outcome, Outcome::going_on);
  status.exit_status = ExitStatus::node_failed;
  status.first_failure = FirstFailure{.node = "learner", .text = "it broke"};
  write(status, report_);
  EXPECT_EQ(measured().outcome, Outcome::failed);
  EXPECT_THAT(measured().why, HasSubstr("learner"));
  status = good_;
  status.finished = false;
  status.stop_reason = "Ctrl-C";
  write(status, report_);
  EXPECT_EQ(measured().outcome, Outcome::stopped);
  EXPECT_THAT(measured().why, HasSubstr("Ctrl-C"));
  status.exit_status = ExitStatus::preempted;
  write(status, report_);
  EXPECT_EQ(measured().outcome, Outcome::stopped);
  status = good_;
  status.attempt = 2;
  write(status, report_);
  EXPECT_EQ(measured().outcome, Outcome::unusable);
  status = good_;
  status.ranks = 4;
  write(status, report_);
  EXPECT_EQ(measured().outcome, Outcome::unusable);
  EXPECT_THAT(measured().why, HasSubstr("4 ranks"));
  write(good_, report_);
  write_file_atomically(path() / "report.json", "{");
  EXPECT_EQ(measured().outcome, Outcome::unusable);
}

TEST_F(MeasuredRun, DamagedFilesTellLess) {
  write(good_, report_);
  for (const char* const text : {R"({"hosts": [1]})", R"({"ranks": {"a": 1}})", "[", "17"}) {
    write_file_atomically(path() / "placement.json", text);
    write_file_atomically(path() / "versions.json", text);
    EXPECT_EQ(measured().outcome, Outcome::good) << text;
  }
}

TEST_F(MeasuredRun, WorkThatComesBeforeTheWorkersHasNoRate) {
  Report report = report_;
  report.work.push_back({"seeds", 3, -1 * second});
  write(good_, report);
  EXPECT_EQ(measured().rates.size(), 1u);
  EXPECT_THAT(measured().no_rate.at("seeds"), HasSubstr("before its workers"));
}

}  // namespace
}  // namespace slipway::study
