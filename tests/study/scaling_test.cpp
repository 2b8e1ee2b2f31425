// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/scaling.hpp"

#include <gmock/gmock.h>

#include "slipway/base/error.hpp"
#include "study/page.hpp"
#include "study/tables.hpp"

namespace slipway::study {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

Measurement timed(std::uint32_t size, std::uint32_t repeat, double running) {
  return {.point = {size, repeat}, .outcome = Outcome::good, .ranks = 4 * size, .running = running};
}

Measurement rated(std::uint32_t size, std::uint32_t repeat, double rate) {
  Measurement run = timed(size, repeat, 10);
  run.rates["frames"] = rate;
  return run;
}

Study study_of(Scaling scaling, const std::vector<Measurement>& runs) {
  Study study{.name = "train", .scaling = scaling, .runner = Runner::jobs, .unit = "nodes", .machine = "generic"};
  for (const auto& run : runs) study.order.push_back(run.point);
  return study;
}

ScalingTable table_of(Scaling scaling, const std::vector<Measurement>& runs) {
  return scaling_table(study_of(scaling, runs), runs, usual_metric(runs));
}

TEST(Scaling, QuantilesAreInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 100}, 0.75), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.25), 7);
}

TEST(Scaling, StrongByTime) {
  // Amdahl with a tenth that is serial: T(p) = 10 + 90/p.
  const auto table =
      table_of(Scaling::strong, {timed(1, 1, 100), timed(2, 1, 55), timed(4, 1, 32.5), timed(4, 2, 32.5)});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_TRUE(table.metric.is_time());
  EXPECT_DOUBLE_EQ(table.rows[0].speedup, 1);
  EXPECT_FALSE(table.rows[0].serial_fraction);
  EXPECT_DOUBLE_EQ(table.rows[1].speedup, 100 / 55.0);
  EXPECT_NEAR(*table.rows[1].serial_fraction, 0.1, 1e-12);
  EXPECT_NEAR(*table.rows[2].serial_fraction, 0.1, 1e-12) << "the fraction of Karp and Flatt is that of Amdahl";
  EXPECT_DOUBLE_EQ(table.rows[2].efficiency, 100 / 32.5 / 4);
}

TEST(Scaling, TheBaseNeedNotBeOne) {
  const auto table = table_of(Scaling::strong, {timed(4, 1, 100), timed(8, 1, 50), timed(16, 1, 50)});
  EXPECT_DOUBLE_EQ(table.rows[1].speedup, 2);
  EXPECT_DOUBLE_EQ(table.rows[1].efficiency, 1);
  EXPECT_DOUBLE_EQ(*table.rows[1].serial_fraction, 0);
  EXPECT_DOUBLE_EQ(table.rows[2].efficiency, 0.5);
}

TEST(Scaling, WeakByTime) {
  const auto table = table_of(Scaling::weak, {timed(1, 1, 10), timed(4, 1, 12.5)});
  EXPECT_DOUBLE_EQ(table.rows[1].efficiency, 0.8);
  EXPECT_DOUBLE_EQ(table.rows[1].speedup, 3.2) << "four times the work in 1.25 times the time";
}

TEST(Scaling, ByRateWhereWorkIsReported) {
  for (const Scaling scaling : {Scaling::strong, Scaling::weak}) {
    const auto table = table_of(scaling, {rated(1, 1, 100), rated(2, 1, 190)});
    EXPECT_EQ(table.metric.name(), "frames/s");
    EXPECT_DOUBLE_EQ(table.rows[1].speedup, 1.9);
    EXPECT_DOUBLE_EQ(table.rows[1].efficiency, 0.95);
  }
}

TEST(Scaling, TheMetricIsTheTimeWhereWorkIsNoneOrMany) {
  EXPECT_TRUE(usual_metric({}).is_time());
  EXPECT_TRUE(usual_metric({timed(1, 1, 1), rated(2, 1, 1)}).is_time());
  auto two = rated(1, 1, 1);
  two.rates["games"] = 3;
  EXPECT_TRUE(usual_metric({two}).is_time());
  const std::vector<Measurement> runs{timed(1, 1, 1)};
  EXPECT_THAT([&] { scaling_table(study_of(Scaling::strong, runs), runs, {"frames"}); },
              ThrowsMessage<UsageError>(HasSubstr("no run reports frames")));
}

TEST(Scaling, OutliersCountAndAreNamed) {
  std::vector<Measurement> runs;
  for (const double seconds : {10.0, 10.1, 10.2, 10.3, 30.0}) {
    runs.push_back(timed(1, static_cast<std::uint32_t>(runs.size() + 1), seconds));
  }
  const auto table = table_of(Scaling::strong, runs);
  EXPECT_DOUBLE_EQ(table.rows[0].median, 10.2);
  EXPECT_EQ(table.rows[0].values.size(), 5u);
  EXPECT_THAT(table.rows[0].outliers, ElementsAre(30.0));
  EXPECT_THAT(to_text(study_of(Scaling::strong, runs), runs, table), HasSubstr("1 of 5 runs lie beyond"));
}

TEST(Scaling, RunsThatAreNotGoodDoNotCountButAreTold) {
  std::vector<Measurement> runs{timed(1, 1, 10), timed(2, 1, 1)};
  runs[1].outcome = Outcome::failed;
  runs[1].why = "status 1: it broke";
  const auto study = study_of(Scaling::strong, runs);
  const auto table = scaling_table(study, runs, {});
  EXPECT_EQ(table.rows.size(), 1u);
  const auto text = to_text(study, runs, table);
  EXPECT_THAT(text, AllOf(HasSubstr("base 1 node: 10.0 s"), HasSubstr("2 nodes, run 1: failed (status 1: it broke)"),
                          HasSubstr("1 good runs are few")));
  runs[0].outcome = Outcome::going_on;
  EXPECT_THAT(to_text(study, runs, scaling_table(study, runs, {})), HasSubstr("no run has ended well"));
}

TEST(Scaling, DifferentVersionsAreTold) {
  std::vector<Measurement> runs{timed(1, 1, 10), timed(1, 2, 10)};
  runs[0].versions = {{"compiler", "GCC 12"}, {"transport", "2 ranks"}};
  runs[1].versions = {{"compiler", "GCC 13"}, {"transport", "4 ranks"}};
  const auto study = study_of(Scaling::strong, runs);
  const auto text = to_text(study, runs, scaling_table(study, runs, {}));
  EXPECT_THAT(text, AllOf(HasSubstr("differ in the version of compiler"), Not(HasSubstr("transport"))));
}

TEST(Scaling, TablesForSpreadsheets) {
  std::vector<Measurement> runs{rated(1, 1, 100), rated(2, 1, 190)};
  runs[1].outcome = Outcome::failed;
  runs[1].why = "it said \"no\", twice";
  runs[1].hosts = {"a", "b"};
  const auto study = study_of(Scaling::strong, runs);
  EXPECT_EQ(summary_csv(scaling_table(study, runs, {"frames"})),
            "size,unit,ranks,gpus,runs,metric,median,lower_quartile,upper_quartile,speedup,efficiency,serial_fraction,"
            "starting_s,running_s,stopping_s\r\n"
            "1,nodes,4,0,1,frames/s,100,100,100,1,1,,0,10,0\r\n");
  EXPECT_EQ(runs_csv(study, runs),
            "size,unit,repeat,outcome,ranks,gpus,started,starting_s,running_s,stopping_s,hosts,why,frames_per_s\r\n"
            "1,nodes,1,good,4,0,,0,10,0,,,100\r\n"
            "2,nodes,1,failed,8,0,,0,10,0,a b,\"it said \"\"no\"\", twice\",190\r\n");
}

TEST(Scaling, TheMethodSaysWhatWasDone) {
  std::vector<Measurement> runs{rated(1, 1, 100), rated(2, 1, 190)};
  runs[0].versions = {{"slipway", "1.2"}};
  runs.push_back(timed(2, 2, 1));
  runs[2].outcome = Outcome::failed;
  auto study = study_of(Scaling::strong, runs);
  study.command = {"./train", "{nodes}"};
  const auto text = method_text(study, runs, scaling_table(study, runs, {"frames"}), 5);
  EXPECT_THAT(text, AllOf(HasSubstr("strong scaling of train (./train {nodes}) on the machine 'generic'"),
                          HasSubstr("in nodes, and how often each was run: 1 (1), 2 (1)"),
                          HasSubstr("1 more runs failed or are missing"), HasSubstr("each as a job of its own"),
                          HasSubstr("first 5 s are a warm-up"), HasSubstr("base case b is 1 node (100 frames/s)"),
                          HasSubstr("S = R(p)/R(b)"), HasSubstr("slipway: 1.2")));
}

TEST(Page, NothingInItIsTakenForMarkup) {
  const Page page{.title = "<script>alert(1)</script> & \"co\"",
                  .figure_svg = "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg><path/></svg>",
                  .tables = {{"t", {"<h>"}, {{"<c>"}}}},
                  .remarks = {"<r>"},
                  .method = "<m>"};
  const auto html = to_html(page);
  EXPECT_THAT(html,
              AllOf(Not(HasSubstr("<script")), HasSubstr("&lt;script&gt;"), HasSubstr("<svg><path/></svg>"),
                    Not(HasSubstr("<?xml")), Not(HasSubstr("<c>")), Not(HasSubstr("<r>")), Not(HasSubstr("<m>"))));
  EXPECT_THAT(html, Not(HasSubstr("http"))) << "it loads nothing";
}

}  // namespace
}  // namespace slipway::study
