// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/runtime/src/controller.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/temporary_directory.hpp"

namespace slipway::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

// A controller of two ranks that are not there, and what the record said whenever the ranks were told something.
class ControllerOfTwo : public ::testing::Test {
 protected:
  struct Told {
    Control control;
    std::optional<RunStatus> record;
  };

  ControllerOfTwo() {
    settings_.quiet = true;
    controller_.emplace(ControllerSetup{.program = &program_,
                                        .settings = &settings_,
                                        .ranks = 2,
                                        .rank = RankId(0),
                                        .host = "here",
                                        .directory = RunDirectory::at(run_.path()),
                                        .show_end = false,
                                        .has_body = true,
                                        .broadcast = [this](const Control& control) {
                                          told_.push_back({control, read_status(run_.path())});
                                        }});
    for (const std::uint32_t rank : {0, 1}) controller_->on(RankId(rank), {.kind = ControlKind::constructed});
  }
  std::vector<ControlKind> kinds_told() const {
    std::vector<ControlKind> kinds;
    for (const auto& told : told_) kinds.push_back(told.control.kind);
    return kinds;
  }

  testing::TemporaryDirectory run_;
  Program program_{"controlled"};
  Settings settings_;
  std::vector<Told> told_;
  std::optional<Controller> controller_;
};

// A launcher may end the controller's rank as soon as another one has left.
TEST_F(ControllerOfTwo, Contract9_TheRecordHasTheEndBeforeAnyRankIsTold) {
  const FirstFailure failure{
      .status = ExitStatus::node_failed, .node = "learner", .rank = 1, .type = "std::runtime_error", .text = "no luck"};
  controller_->on(RankId(1), {.kind = ControlKind::failed, .text = to_json(failure)});
  ASSERT_THAT(kinds_told(), ElementsAre(ControlKind::go, ControlKind::abort));
  const auto& record = told_.back().record;
  ASSERT_TRUE(record);
  EXPECT_EQ(record->state, RunState::ended);
  EXPECT_THAT(record->exit_status, Optional(ExitStatus::node_failed));
  ASSERT_TRUE(record->first_failure);
  EXPECT_EQ(record->first_failure->text, "no luck");
}

TEST_F(ControllerOfTwo, Contract9_TheFirstFailureStays) {
  controller_->rank_lost(RankId(1), "its process is gone", "there");
  controller_->on(RankId(0), {.kind = ControlKind::failed, .text = to_json(FirstFailure{.text = "its peer is lost"})});
  ASSERT_THAT(kinds_told(), ElementsAre(ControlKind::go, ControlKind::abort));
  EXPECT_EQ(told_.back().control.number, static_cast<std::uint32_t>(ExitStatus::rank_lost));
  controller_->close(ExitStatus::good);
  const auto record = read_status(run_.path());
  ASSERT_TRUE(record && record->first_failure);
  EXPECT_EQ(record->first_failure->text, "its process is gone");
  EXPECT_THAT(record->exit_status, Optional(ExitStatus::rank_lost));
}

TEST_F(ControllerOfTwo, Contract8_StopsInOrder) {
  controller_->stop({.reason = "enough", .finished = true});
  for (const std::uint32_t rank : {0, 1}) controller_->on(RankId(rank), {.kind = ControlKind::workers_returned});
  EXPECT_THAT(kinds_told(), ElementsAre(ControlKind::go, ControlKind::stop, ControlKind::drain));
  ASSERT_TRUE(told_[1].record);
  EXPECT_EQ(told_[1].record->state, RunState::stopping);
  EXPECT_EQ(told_[1].record->stop_reason, "enough");
}

// Workers have returned, and tasks are under way on rank 1.
TEST_F(ControllerOfTwo, Contract8_ANoticeEndsTheTimeOfTasks) {
  controller_->on(RankId(0), {.kind = ControlKind::worker_done});
  for (const std::uint32_t rank : {0, 1}) controller_->on(RankId(rank), {.kind = ControlKind::workers_returned});
  ASSERT_THAT(kinds_told(), ElementsAre(ControlKind::go, ControlKind::stop, ControlKind::drain));
  EXPECT_EQ(told_[1].control.first, 1U) << "tasks are still run";
  controller_->notice("the job ends");
  ASSERT_EQ(told_.back().control.kind, ControlKind::stop);
  EXPECT_EQ(told_.back().control.first, 0U) << "tasks that have not begun are dropped";
  controller_->notice("once more");
  EXPECT_EQ(told_.size(), 4U);
  controller_->close(ExitStatus::preempted);
  const auto record = read_status(run_.path());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->stop_reason, "the job ends");
  EXPECT_FALSE(record->finished) << "something is left for another attempt";
}

}  // namespace
}  // namespace slipway::detail
