// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/run_directory.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "slipway/base/error.hpp"
#include "slipway/observe/status.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

TEST(RunDirectory, NameHasProgramAndTime) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::create(base.path() / "runs", "my program");
  const auto name = run.path().filename().string();
  EXPECT_EQ(name.size(), std::string("my_program-YYYYmmdd-HHMMSS-xxxx").size()) << name;
  EXPECT_TRUE(name.starts_with("my_program-2")) << name;
  EXPECT_EQ(name[19], '-') << name;
  EXPECT_EQ(name[26], '-') << name;
  EXPECT_TRUE(fs::is_directory(run.path() / "logs"));
  EXPECT_TRUE(fs::equivalent(base.path() / "runs" / "latest", run.path()));
}

TEST(RunDirectory, Contract17RunsThatStartTogetherGetTheirOwn) {
  const TemporaryDirectory base;
  constexpr std::size_t runs = 64;
  std::vector<fs::path> paths(runs);
  {
    std::vector<std::jthread> starters;
    for (auto& path : paths) {
      starters.emplace_back([&] { path = RunDirectory::create(base.path(), "p").path(); });
    }
  }
  EXPECT_EQ(std::set<fs::path>(paths.begin(), paths.end()).size(), runs);
  EXPECT_TRUE(fs::is_symlink(base.path() / "latest"));
}

TEST(RunDirectory, Contract17SecondRunIsRefused) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path() / "mine");
  run.claim();
  EXPECT_THROW(RunDirectory::at(base.path() / "mine").claim(), UsageError);
  EXPECT_NO_THROW(RunDirectory::at(base.path() / "mine").claim(2));
}

TEST(RunDirectory, WritesWholeFilesAndLeavesNothingElse) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path() / "mine");
  run.write("graph.json", "one");
  run.write("graph.json", "two");
  EXPECT_EQ(run.read("graph.json"), "two");
  EXPECT_EQ(run.read("placement.json"), std::nullopt);
  for (const auto& entry : fs::directory_iterator(run.path())) {
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
  }
}

TEST(RunDirectory, ReadersNeverSeeHalfAFile) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path());
  run.write("file", std::string(100'000, 'a'), Durability::process);
  std::jthread writer([&](std::stop_token stop) {
    for (char letter = 'a'; !stop.stop_requested(); letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
      run.write("file", std::string(100'000, letter), Durability::process);
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto content = run.read("file");
    ASSERT_TRUE(content);
    ASSERT_EQ(content->size(), 100'000u);
    ASSERT_EQ(content->front(), content->back());
  }
}

TEST(RunDirectory, ReadsWholeFilesOrNothing) {
  const TemporaryDirectory base;
  for (const std::size_t size : {0, 1, 16 * 1024, 50'000}) {
    const std::string content(size, '\0');
    write_file_atomically(base.path() / "file", content);
    EXPECT_EQ(read_file(base.path() / "file"), content) << size;
  }
  EXPECT_EQ(read_file(base.path() / "none"), std::nullopt);
  EXPECT_EQ(read_file(base.path()), std::nullopt);       // opens, but cannot be read
  EXPECT_EQ(read_file("/proc/self/mem"), std::nullopt);  // nor can this at its beginning
}

TEST(RunDirectory, SaysWhereItCannotWrite) {
  try {
    RunDirectory::create("/proc/nowhere", "p");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/proc/nowhere"), std::string::npos);
  }
}

TEST(RunDirectory, NoneSwallowsEverything) {
  const RunDirectory none;
  EXPECT_FALSE(none);
  none.claim();
  none.write("graph.json", "x");
  none.request_stop("x");
  EXPECT_EQ(none.stop_requested(), std::nullopt);
}

TEST(RunDirectory, CarriesAStopRequest) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path());
  EXPECT_EQ(run.stop_requested(), std::nullopt);
  run.request_stop("Ctrl-C");
  EXPECT_EQ(run.stop_requested(), "Ctrl-C");
}

TEST(RunDirectory, CarriesARequestToSaveOfOneAttempt) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path());
  EXPECT_EQ(run.save_requested(), std::nullopt);
  run.request_save("each hour");
  EXPECT_EQ(run.save_requested(), "each hour");
  run.forget_save_request();
  EXPECT_EQ(run.save_requested(), std::nullopt);
  run.request_save("too late");
  run.claim(2);
  EXPECT_EQ(run.save_requested(), std::nullopt) << "it was meant for the attempt before";
}

TEST(Status, TellsWhatIsSaved) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path());
  StatusFile file(run, {.program = "p", .saved_state = 4});
  file.set_saving(5);
  EXPECT_EQ(read_status(run.path())->saving, 5U);
  EXPECT_EQ(read_status(run.path())->saved_state, 4U);
  file.set_saved(5);
  EXPECT_EQ(read_status(run.path())->saving, 0U);
  EXPECT_EQ(read_status(run.path())->saved_state, 5U);
  file.set_saving(6);
  file.end(ExitStatus::node_failed);
  EXPECT_EQ(read_status(run.path())->saving, 0U) << "nobody writes it any more";
}

TEST(Status, Contract17SurvivesTheWayThroughTheFile) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path());
  StatusFile file(run, {.program = "p", .ranks = 4, .attempt = 2, .host = "alpha"});
  file.set_state(RunState::running);
  file.set_progress({.workers = 3, .workers_done = 1, .calls = 99, .text = "loss 0.1"});
  file.beat();
  const auto running = read_status(run.path());
  ASSERT_TRUE(running);
  EXPECT_EQ(running->program, "p");
  EXPECT_EQ(running->state, RunState::running);
  EXPECT_EQ(running->exit_status, std::nullopt);
  EXPECT_EQ(running->ranks, 4u);
  EXPECT_EQ(running->attempt, 2u);
  EXPECT_EQ(running->progress.calls, 99u);
  EXPECT_EQ(running->progress.text, "loss 0.1");
  EXPECT_GT(running->heartbeat, 0);
}

TEST(Status, Contract9FirstFailureStays) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path());
  StatusFile file(run, {.program = "p"});
  EXPECT_TRUE(file.set_failure({.node = "a", .rank = 3, .host = "h", .type = "E", .text = "bad \xff byte"}));
  EXPECT_FALSE(file.set_failure({.node = "b"}));
  file.end(ExitStatus::node_failed);
  file.end(ExitStatus::good);
  file.set_state(RunState::running);
  const auto ended = read_status(run.path());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->state, RunState::ended);
  EXPECT_EQ(ended->exit_status, ExitStatus::node_failed);
  ASSERT_TRUE(ended->first_failure);
  EXPECT_EQ(ended->first_failure->node, "a");
  EXPECT_EQ(ended->first_failure->rank, 3u);
}

TEST(Status, FailureTextNamesNodeRankHostAndLog) {
  const auto text = to_text(FirstFailure{.status = ExitStatus::node_failed,
                                         .node = "learner",
                                         .rank = 3,
                                         .host = "alpha",
                                         .type = "std::runtime_error",
                                         .text = "no memory",
                                         .log_file = "runs/x/logs/rank-00003.log"});
  EXPECT_EQ(text,
            "a node failed: node learner on rank 3 (host alpha)\n  std::runtime_error: no memory\n"
            "  log: runs/x/logs/rank-00003.log");
}

TEST(Status, ReadsNothingOutOfGarbage) {
  EXPECT_EQ(parse_status("{"), std::nullopt);
  EXPECT_EQ(parse_status("{}"), std::nullopt);
  EXPECT_EQ(parse_failure("[1]"), std::nullopt);
}

TEST(Status, AFullDiskIsCountedNotThrown) {
  const TemporaryDirectory base;
  const auto run = RunDirectory::at(base.path() / "gone");
  fs::remove_all(run.path());
  StatusFile file(run, {.program = "p"});
  file.beat();
  EXPECT_EQ(file.writes_failed(), 2u);
}

}  // namespace
}  // namespace slipway
