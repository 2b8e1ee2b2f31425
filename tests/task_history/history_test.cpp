// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_history/history.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "task_history/summary.hpp"
#include "task_history/trace.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway::task_history {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = TaskEvent::Kind;
constexpr std::int64_t ms = 1'000'000;

// Rank 0 submits, on host a; rank 1 is on host b.
class Ranks {
 public:
  explicit Ranks(std::int64_t wrong_clock_of_b = 0) : all_(2) {
    all_[0] = {.head = {.rank = 0, .cores = 1, .host = "a"},
               .names = {{0, "rollout"}, {1, "fit"}},
               .threads = {{0, "run"}, {1, "pool"}},
               .wall_offset = 1'000 * ms};
    all_[1] = {.head = {.rank = 1, .cores = 2, .host = "b"},
               .threads = {{0, "pool"}},
               .wall_offset = 1'000 * ms + wrong_clock_of_b};
  }
  Ranks& add(std::size_t rank, const TaskEvent& event) {
    all_[rank].events.push_back(event);
    return *this;
  }
  Ranks& submitted(std::uint64_t task, std::int64_t time, std::uint32_t name = 0, std::uint8_t level = 0) {
    return add(0, {.time = time, .task = task, .other = 99, .detail = name, .kind = Kind::submitted, .value = level});
  }
  Ranks& ran(std::size_t rank, std::uint64_t task, std::int64_t from, std::int64_t to, TaskEnd end = TaskEnd::ok) {
    const auto thread = static_cast<std::uint16_t>(rank == 0 ? 1 : 0);
    add(rank, {.time = from, .task = task, .detail = 1, .kind = Kind::started, .thread = thread});
    return add(rank, {.time = to,
                      .task = task,
                      .other = static_cast<std::uint64_t>(to - from) / 2,
                      .kind = Kind::ended,
                      .value = static_cast<std::uint8_t>(end),
                      .thread = thread});
  }
  Ranks& sent(std::uint64_t task, std::int64_t time) {
    return add(0, {.time = time, .task = task, .other = 100, .detail = 1, .kind = Kind::sent});
  }
  Ranks& returned(std::uint64_t task, std::int64_t time) {
    return add(0, {.time = time, .task = task, .other = 200, .kind = Kind::returned});
  }
  History join() const { return task_history::join(all_); }
  std::vector<TaskEvents>& all() { return all_; }

 private:
  std::vector<TaskEvents> all_;
};

TEST(TaskHistory, ATaskIsJoinedOverRanks) {
  const History history =
      Ranks().submitted(7, 1 * ms).sent(7, 2 * ms).ran(1, 7, 3 * ms, 10 * ms).returned(7, 11 * ms).join();
  ASSERT_EQ(history.tasks.size(), 1U);
  const Task& task = history.tasks[0];
  EXPECT_EQ(history.name_of(task), "rollout");
  EXPECT_EQ(task.state(), State::over);
  EXPECT_EQ(task.runner.rank, 1U);
  EXPECT_EQ(task.bytes_there, 100U);
  EXPECT_EQ(task.bytes_back, 200U);
  const Summary summary = summarize(history);
  EXPECT_EQ(summary.all.elsewhere, 1U);
  EXPECT_DOUBLE_EQ(summary.all.in_queue, 1 * ms);
  EXPECT_DOUBLE_EQ(summary.all.on_the_way, 1 * ms);
  EXPECT_DOUBLE_EQ(summary.all.running, 7 * ms);
  EXPECT_DOUBLE_EQ(summary.all.coming_back, 1 * ms);
}

TEST(TaskHistory, SaysWhatEachPendingTaskWaitsFor) {
  Ranks ranks;
  ranks.submitted(1, 1 * ms, 1).add(0, {.time = 2 * ms, .task = 1, .detail = 1, .kind = Kind::started, .thread = 1});
  ranks.submitted(2, 2 * ms).add(0, {.time = 2 * ms, .task = 2, .other = 1, .kind = Kind::waits});
  ranks.submitted(3, 3 * ms);
  ranks.submitted(4, 4 * ms).add(0, {.time = 4 * ms, .task = 4, .kind = Kind::routed});
  ranks.submitted(5, 5 * ms).sent(5, 6 * ms);
  const History history = ranks.join();
  const std::string text = to_text(history, summarize(history), 10);
  EXPECT_THAT(text, HasSubstr("0000000000000001 fit: runs on rank 0, thread pool, for 4.00 ms"));
  EXPECT_THAT(text, HasSubstr("rollout: waits for a value of task 0000000000000001 (fit), for 4.00 ms"));
  EXPECT_THAT(text, HasSubstr("rollout: ready, but no core of rank 0 has begun it, for 3.00 ms"));
  EXPECT_THAT(text, HasSubstr("rollout: waits for the resources or the rank that it asks for, for 2.00 ms"));
  EXPECT_THAT(text, HasSubstr("rollout: sent to rank 1, which has not begun it, for 1.00 ms"));
  EXPECT_THAT(to_text(history, summarize(history), 1), Not(HasSubstr("sent to rank 1")));
  const auto json = nlohmann::json::parse(to_json(history, summarize(history)));
  EXPECT_EQ(json.at("pending").size(), 5U);
  EXPECT_EQ(json.at("pending")[0].at("state"), "running");
}

TEST(TaskHistory, TasksThatStandForSeveralCountAsSuch) {
  const History history =
      Ranks().submitted(1, 0).ran(0, 1, 1 * ms, 2 * ms).submitted(2, 0, 0, 3).ran(0, 2, 2 * ms, 4 * ms).join();
  const Summary summary = summarize(history);
  EXPECT_TRUE(summary.is_sampled);
  EXPECT_EQ(summary.all.tasks, 9U);
  EXPECT_DOUBLE_EQ(summary.all.running, 17 * ms);
  EXPECT_DOUBLE_EQ(summary.ranks[0].busy, 8.5 * ms);
  EXPECT_THAT(to_text(history, summary, 1), HasSubstr("figures are estimates"));
}

TEST(TaskHistory, ATaskInsideAnotherKeepsNoSecondCore) {
  Ranks ranks;
  ranks.submitted(1, 0).submitted(2, 0);
  ranks.ran(0, 2, 2 * ms, 3 * ms).ran(0, 1, 1 * ms, 5 * ms);
  EXPECT_DOUBLE_EQ(summarize(ranks.join()).ranks[0].busy, 2 * ms);
}

TEST(TaskHistory, EndsAreTold) {
  Ranks ranks;
  ranks.submitted(1, 0).ran(0, 1, 1, 2, TaskEnd::failed);
  ranks.submitted(2, 0).add(
      0, {.time = 3, .task = 2, .kind = Kind::ended, .value = static_cast<std::uint8_t>(TaskEnd::input_failed)});
  ranks.submitted(3, 0).add(
      0, {.time = 3, .task = 3, .kind = Kind::ended, .value = static_cast<std::uint8_t>(TaskEnd::cancelled)});
  const Summary summary = summarize(ranks.join());
  EXPECT_EQ(summary.all.over, 3U);
  EXPECT_EQ(summary.all.failed, 2U);
  EXPECT_EQ(summary.all.cancelled, 1U);
  EXPECT_EQ(summary.all.ran, 1U);
  EXPECT_TRUE(summary.pending.empty());
  EXPECT_THAT(list_text(ranks.join()), HasSubstr("a value it needs failed"));
}

// Whatever the order of the ranks: who ran it knows why it failed, its owner that it was cancelled.
TEST(TaskHistory, OneEndIsTold) {
  const auto end_of = [](TaskEnd there, TaskEnd here) {
    Ranks ranks;
    ranks.submitted(1, 0).sent(1, 1 * ms).ran(1, 1, 2 * ms, 3 * ms, there);
    ranks.add(0, {.time = 4 * ms, .task = 1, .kind = Kind::returned, .value = static_cast<std::uint8_t>(here)});
    const TaskEnd in_order = ranks.join().tasks[0].end;
    std::swap(ranks.all()[0], ranks.all()[1]);
    EXPECT_EQ(ranks.join().tasks[0].end, in_order);
    return in_order;
  };
  EXPECT_EQ(end_of(TaskEnd::ok, TaskEnd::ok), TaskEnd::ok);
  EXPECT_EQ(end_of(TaskEnd::input_failed, TaskEnd::failed), TaskEnd::input_failed);
  EXPECT_EQ(end_of(TaskEnd::ok, TaskEnd::cancelled), TaskEnd::cancelled);
  EXPECT_EQ(end_of(TaskEnd::failed, TaskEnd::cancelled), TaskEnd::cancelled);
}

TEST(TaskHistory, AttemptsAreCounted) {
  Ranks ranks;
  ranks.submitted(1, 0).add(0, {.time = 1 * ms, .task = 1, .detail = 1, .kind = Kind::started, .thread = 1});
  ranks.add(0, {.time = 3 * ms, .task = 1, .detail = 2, .kind = Kind::started, .thread = 1});
  ranks.add(0, {.time = 4 * ms, .task = 1, .kind = Kind::ended, .thread = 1});
  const History history = ranks.join();
  EXPECT_EQ(history.tasks[0].attempts, 2U);
  const Summary summary = summarize(history);
  EXPECT_EQ(summary.all.retries, 1U);
  EXPECT_DOUBLE_EQ(summary.all.running, 3 * ms);
}

// It was written down as sent, and found no room there.
TEST(TaskHistory, ATaskThatWasNotSentAfterAllRanAtHome) {
  const History history = Ranks()
                              .submitted(1, 0)
                              .sent(1, 1 * ms)
                              .add(0, {.time = 2 * ms, .task = 1, .kind = Kind::ready})
                              .ran(0, 1, 3 * ms, 4 * ms)
                              .join();
  EXPECT_FALSE(history.tasks[0].sent);
  const Summary summary = summarize(history);
  EXPECT_EQ(summary.all.elsewhere, 0U);
  EXPECT_DOUBLE_EQ(summary.all.in_queue, 3 * ms);
}

class Clocks : public ::testing::TestWithParam<std::int64_t> {};

// A clock that goes wrong by more than messages take: nothing happens before its cause.
TEST_P(Clocks, OfHostsAreBroughtInLine) {
  const std::int64_t wrong = GetParam();
  const History history =
      Ranks(wrong).submitted(7, 1 * ms).sent(7, 2 * ms).ran(1, 7, 3 * ms, 10 * ms).returned(7, 11 * ms).join();
  const Task& task = history.tasks[0];
  EXPECT_LE(*task.sent, *task.started);
  EXPECT_LE(*task.ended, *task.returned);
  EXPECT_EQ(*task.ended - *task.started, 7 * ms);
  if (std::abs(wrong) < 1 * ms) {
    EXPECT_EQ(*task.started - *task.sent, 1 * ms + wrong);  // good enough as it is
  }
}
INSTANTIATE_TEST_SUITE_P(Wrong, Clocks, ::testing::Values(0, ms / 2, -ms / 2, 50 * ms, -50 * ms, 3'600'000 * ms));

TEST(TaskTrace, HasASliceATaskAndAnArrowToIt) {
  const History history = Ranks()
                              .submitted(7, 1 * ms)
                              .sent(7, 2 * ms)
                              .ran(1, 7, 3 * ms, 10 * ms)
                              .returned(7, 11 * ms)
                              .submitted(8, 2 * ms)
                              .join();
  const slipway::testing::TemporaryDirectory directory;
  const auto path = directory.path() / "trace.json";
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  write_trace(history, file);
  std::fclose(file);
  const auto json = nlohmann::json::parse(read_file(path).value());
  int slices = 0;
  int begins = 0;
  int ends = 0;
  for (const auto& event : json.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "s") ++begins;
    if (phase == "f") ++ends;
    if (phase != "X" || event.at("name") != "rollout") continue;
    ++slices;
    EXPECT_EQ(event.at("pid"), 1);
    EXPECT_DOUBLE_EQ(event.at("ts"), 2'000);
    EXPECT_DOUBLE_EQ(event.at("dur"), 7'000);
  }
  EXPECT_EQ(slices, 1);
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
}

TEST(TaskHistory, ARunWithoutTracesIsTold) {
  const slipway::testing::TemporaryDirectory directory;
  EXPECT_THROW(read_history(directory.path(), 0), UsageError);
  std::filesystem::create_directory(directory.path() / "events");
  for (const std::uint32_t attempt : {1U, 2U}) {
    TaskEventFile(RunDirectory::at(directory.path()).task_events_file(0, attempt), {.cores = attempt, .host = "a"});
  }
  std::ofstream(RunDirectory::at(directory.path()).task_events_file(1, 2)) << "slip";  // its rank was killed then
  EXPECT_EQ(read_history(directory.path(), 0).ranks.size(), 1U);
  EXPECT_EQ(read_history(directory.path(), 0).ranks.at(0).cores, 2U);
  EXPECT_EQ(read_history(directory.path(), 1).ranks.at(0).cores, 1U);
  try {
    read_history(directory.path(), 3);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("in attempt 3; the last one that has is 2"));
  }
}

}  // namespace
}  // namespace slipway::task_history
