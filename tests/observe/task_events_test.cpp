// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/task_events.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

using Kind = TaskEvent::Kind;

class TaskEventFiles : public ::testing::Test {
 protected:
  std::filesystem::path write_one() const {
    TaskEventFile file(path(), {.rank = 3, .cores = 2, .host = "node7"});
    file.add_clock(1'000, 5'000);
    file.add_name(0, "rollout");
    file.add_thread(1, "pool0");
    const std::array events{TaskEvent{.time = 10, .task = 77, .other = 5, .kind = Kind::submitted, .value = 2},
                            TaskEvent{.time = 20, .task = 77, .kind = Kind::started, .thread = 1}};
    file.add(events);
    file.add_clock(2'000, 7'000);
    file.add_lost(4);
    file.add_lost(5);
    file.flush();
    return path();
  }
  std::filesystem::path path() const { return directory_.path() / "rank-00003.1.tasks"; }

 private:
  slipway::testing::TemporaryDirectory directory_;
};

TEST_F(TaskEventFiles, AreReadAsTheyWereWritten) {
  const TaskEvents read = read_task_events(write_one()).value();
  EXPECT_EQ(read.head.rank, 3U);
  EXPECT_EQ(read.head.cores, 2U);
  EXPECT_EQ(read.head.host, "node7");
  EXPECT_EQ(read.wall_offset, 4'000);
  EXPECT_EQ(read.names.at(0), "rollout");
  EXPECT_EQ(read.threads.at(1), "pool0");
  EXPECT_EQ(read.lost, 9U);
  ASSERT_EQ(read.events.size(), 2U);
  EXPECT_EQ(read.events[0].task, 77U);
  EXPECT_EQ(read.events[0].other, 5U);
  EXPECT_EQ(read.events[0].value, 2);
  EXPECT_EQ(read.events[1].kind, Kind::started);
  EXPECT_EQ(read.events[1].thread, 1);
}

// A run that goes on, or was killed: the last block may be there in part.
TEST_F(TaskEventFiles, AreReadAsFarAsTheyAreWritten) {
  const std::string whole = read_file(write_one()).value();
  std::size_t most = 0;
  bool has_begun = false;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(path(), std::ios::binary) << whole.substr(0, size);
    const auto read = read_task_events(path());
    EXPECT_GE(read.has_value(), has_begun);
    has_begun = read.has_value();
    if (!read) continue;
    EXPECT_EQ(read->head.host, "node7");
    EXPECT_GE(read->events.size(), most);
    most = read->events.size();
  }
  EXPECT_EQ(most, 2U);
}

TEST_F(TaskEventFiles, OtherFilesAreRefused) {
  std::ofstream(path()) << "{\"json\": 1}";
  EXPECT_THROW(read_task_events(path()), Error);
  EXPECT_THROW(read_task_events(path().string() + ".none"), Error);
  EXPECT_THROW(TaskEventFile("/no/such/place/file", {}), Error);
}

TEST_F(TaskEventFiles, AFullDiskIsSaid) {
  TaskEventFile file("/dev/full", {.host = "node7"});
  const std::vector<TaskEvent> many(100'000);
  EXPECT_THROW(
      {
        file.add(many);
        file.flush();
      },
      Error);
}

}  // namespace
}  // namespace slipway
