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
  void write(const RunStatus& status, const Report& report) {
    write_file_atomically(path() / "status.json", to_json(status));
    write_file_atomically(path() / "report.json", to_json(report));
  }
  std::filesystem::path path() const { return scratch_.path(); }
  Measurement measured(double warm_up = 0) const { return measure(path(), {2, 1}, warm_up); }

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
  EXPECT_EQ(cold.outcome, Outcome::unusable);
  EXPECT_THAT(cold.why, HasSubstr("warm-up"));
}

TEST_F(MeasuredRun, OtherEndsAreNoMeasurements) {
  EXPECT_EQ(measured().outcome, Outcome::missing);
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
  EXPECT_EQ(measured().outcome, Outcome::failed);
  EXPECT_THAT(measured().why, HasSubstr("Ctrl-C"));
  status = good_;
  status.attempt = 2;
  write(status, report_);
  EXPECT_EQ(measured().outcome, Outcome::unusable);
  write(good_, report_);
  write_file_atomically(path() / "report.json", "{");
  EXPECT_EQ(measured().outcome, Outcome::unusable);
}

}  // namespace
}  // namespace slipway::study
