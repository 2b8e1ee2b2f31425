// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/local/mpirun_launcher.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "tools/temporary_directory.hpp"

// Ranks are small shell scripts here: they see $SLIPWAY_RUN_DIRECTORY as ranks do, and move prepared records into
// place. They run under a small stand-in for mpirun, and, where there is one, under the real one.
namespace slipway {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Starts ranks as its children, gives their errors no attention as `--enable-recovery` does, ends them on SIGTERM.
constexpr std::string_view stand_in = R"(#!/bin/sh
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }
while [ "$1" != -n ]; do shift; done
ranks=$2; shift 2
trap 'trap "" TERM; kill $children; exit 143' TERM
trap 'kill -USR2 $children' USR2
i=0
while [ $i -lt $ranks ]; do
  OMPI_COMM_WORLD_RANK=$i OMPI_COMM_WORLD_SIZE=$ranks "$@" &
  children="$children $!"
  i=$((i+1))
done
for child in $children; do while kill -0 $child 2>/dev/null; do wait $child; done; done
exit 0
)";

class MpirunLauncher : public ::testing::TestWithParam<bool> {
 protected:
  MpirunLauncher() {
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    ::setenv("PRTE_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    run_ = RunDirectory::create(directory_ / "runs", "p");
    put("mpirun", stand_in);
    fs::permissions(directory_ / "mpirun", fs::perms::owner_all);
    RunStatus status{.program = "p", .state = RunState::running, .ranks = 3};
    put("running", to_json(status));
    status.state = RunState::ended;
    status.exit_status = ExitStatus::good;
    put("good", to_json(status));
    status.exit_status = ExitStatus::node_failed;
    status.first_failure = FirstFailure{.node = "learner", .rank = 2, .type = "std::runtime_error", .text = "no"};
    put("failed", to_json(status));
  }
  ~MpirunLauncher() override {
    if (launcher_ > 0) {
      ::kill(launcher_, SIGKILL);
      ::waitpid(launcher_, nullptr, 0);
    }
  }

  void put(const std::string& name, std::string_view content) { std::ofstream(directory_ / name) << content; }

  // Starts 3 ranks that run the script, in a process of its own whose stderr goes to a file.
  void launch(const std::string& script) {
    put("rank.sh",
        "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
        "become() { cp \"" +
            directory_.string() +
            "/$1\" \"$SLIPWAY_RUN_DIRECTORY/.new\" && "
            "mv \"$SLIPWAY_RUN_DIRECTORY/.new\" \"$SLIPWAY_RUN_DIRECTORY/status.json\"; }\n"
            "is_running() { until grep -q running \"$SLIPWAY_RUN_DIRECTORY/status.json\" 2>/dev/null; do sleep 0.02; "
            "done; }\n"
            "forever() { while :; do sleep 0.1; done; }\n" +
            script);
    MpirunRequest request{.command = {"sh", (directory_ / "rank.sh").string()},
                          .ranks = 3,
                          .run_directory = run_.path(),
                          .quiet = quiet_,
                          .stop_limit = 200ms};
    if (!GetParam()) request.mpirun = (directory_ / "mpirun").string();
    launcher_ = ::fork();
    if (launcher_ != 0) return;
    const int log = ::open((directory_ / "stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(log, 2);
    int status = 99;
    try {
      status = run_under_mpirun(request);
    } catch (const Error& error) {
      const std::string text = error.what();
      if (::write(2, text.data(), text.size()) < 0) status = 98;
    }
    ::_exit(status);
  }

  int wait_for_end(Clock::duration limit) {
    const auto deadline = Clock::now() + limit;
    int status = 0;
    while (::waitpid(launcher_, &status, WNOHANG) == 0) {
      if (Clock::now() > deadline) {
        ADD_FAILURE() << "the launcher did not end in time";
        return -1;
      }
      std::this_thread::sleep_for(10ms);
    }
    launcher_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  void wait_until(const std::function<bool()>& condition, const char* what) {
    const auto deadline = Clock::now() + 10s;
    while (!condition() && Clock::now() < deadline) std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(condition()) << what;
  }
  void wait_for_file(const std::string& name) {
    wait_until([&] { return fs::exists(directory_ / name); }, name.c_str());
  }

  // Processes of this run: those with our directory in their command line.
  int processes() const {
    int count = 0;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator("/proc", gone)) {
      const auto line = read_file(entry.path() / "cmdline").value_or("");
      if (line.find((directory_ / "rank.sh").string()) != std::string::npos) ++count;
    }
    return count;
  }
  void expect_nothing_left() {
    wait_until([&] { return processes() == (launcher_ > 0 ? 1 : 0) || processes() == 0; }, "no process is left");
  }

  std::string errors() const { return read_file(directory_ / "stderr").value_or(""); }

  const testing::TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
  RunDirectory run_;
  pid_t launcher_ = 0;
  bool quiet_ = true;
};

TEST_P(MpirunLauncher, Contract11GoodRunSaysNothing) {
  launch("[ $rank = 0 ] && become good; exit 0");
  EXPECT_EQ(wait_for_end(20s), 0);
  EXPECT_EQ(errors(), "");
  expect_nothing_left();
}

TEST_P(MpirunLauncher, PrintsTheCommandAndTellsRanksWhoTheyAre) {
  quiet_ = false;
  launch("echo \"$SLIPWAY_LAUNCHED ${OMPI_COMM_WORLD_SIZE:-$PMI_SIZE} $0\" > \"" + directory_.string() +
         "/seen\"; [ $rank = 0 ] && become good; exit 0");
  EXPECT_EQ(wait_for_end(20s), 0);
  EXPECT_NE(errors().find("slipway: runs "), std::string::npos) << errors();
  EXPECT_NE(errors().find("-n 3 sh " + directory_.string() + "/rank.sh\n"), std::string::npos) << errors();
  EXPECT_EQ(read_file(directory_ / "seen").value_or("").find("1 3 "), 0u);
}

TEST_P(MpirunLauncher, Contract9StatusOfTheRunIsReturned) {
  launch("[ $rank = 0 ] && become failed; exit 0");
  EXPECT_EQ(wait_for_end(20s), 1);
  EXPECT_EQ(errors(), "") << "the run has said it itself";
}

TEST_P(MpirunLauncher, Contract9NeverZeroWithoutAnEnd) {
  launch("exit 0");
  EXPECT_EQ(wait_for_end(20s), 1);
  EXPECT_NE(errors().find("the ranks ended without the end of the run"), std::string::npos) << errors();
  const auto status = read_status(run_.path());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->exit_status, ExitStatus::node_failed);
}

TEST_P(MpirunLauncher, Contract9KilledRankEndsTheRestInFiveSeconds) {
  launch("[ $rank = 0 ] && become running; is_running; sleep 0.5; [ $rank = 1 ] && kill -9 $$; forever");
  const auto start = Clock::now();
  EXPECT_EQ(wait_for_end(20s), 3);
  EXPECT_LT(Clock::now() - start, 8s);
  EXPECT_NE(errors().find("slipway: error: "), std::string::npos) << errors();
  const auto status = read_status(run_.path());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, RunState::ended);
  EXPECT_EQ(status->exit_status, ExitStatus::rank_lost);
  expect_nothing_left();
}

TEST_P(MpirunLauncher, Contract9LastWordsAreTheFirstFailure) {
  put("words", to_json(FirstFailure{
                   .node = "learner", .rank = 1, .host = "h", .type = "SIGSEGV", .text = "segmentation fault"}));
  launch("[ $rank = 0 ] && become running; is_running; sleep 0.5; [ $rank = 1 ] && { cp \"" + directory_.string() +
         "/words\" \"$SLIPWAY_RUN_DIRECTORY/logs/rank-00001.failure.json\"; exit 1; }; forever");
  EXPECT_EQ(wait_for_end(20s), 1);
  EXPECT_NE(errors().find("node learner on rank 1"), std::string::npos) << errors();
  const auto status = read_status(run_.path());
  ASSERT_TRUE(status && status->first_failure);
  EXPECT_EQ(status->first_failure->node, "learner");
  expect_nothing_left();
}

TEST_P(MpirunLauncher, OneInterruptIsACleanStop) {
  launch(
      "[ $rank = 0 ] && become running; while [ ! -e \"$SLIPWAY_RUN_DIRECTORY/stop\" ]; do sleep 0.05; done; "
      "[ $rank = 0 ] && become good; exit 0");
  wait_until([&] { return read_status(run_.path()).has_value(); }, "the run has started");
  ::kill(launcher_, SIGINT);
  EXPECT_EQ(wait_for_end(20s), 0);
  EXPECT_EQ(run_.stop_requested(), "Ctrl-C");
  EXPECT_EQ(errors(), "");
  expect_nothing_left();
}

TEST_P(MpirunLauncher, SecondInterruptEndsItAtOnce) {
  launch("trap '' TERM INT; [ $rank = 0 ] && become running; touch \"" + directory_.string() +
         "/here-$rank\"; forever");
  for (const auto* rank : {"here-0", "here-1", "here-2"}) wait_for_file(rank);
  wait_until([&] { return read_status(run_.path()).has_value(); }, "the run has started");
  ::kill(launcher_, SIGINT);
  wait_until([&] { return run_.stop_requested().has_value(); }, "the first one asks");
  ::kill(launcher_, SIGINT);
  const auto start = Clock::now();
  EXPECT_EQ(wait_for_end(10s), 3);
  EXPECT_LT(Clock::now() - start, 5s);
  EXPECT_NE(errors().find("stopped at once, on request"), std::string::npos) << errors();
  expect_nothing_left();
}

TEST_P(MpirunLauncher, Contract10UserSignal2GoesOnToTheRanks) {
  const std::string mark = directory_.string() + "/asked-$rank";
  launch("trap 'touch \"" + mark + "\"; [ $rank = 0 ] && become good; exit 0' USR2; touch \"" + directory_.string() +
         "/here-$rank\"; forever");
  for (const auto* rank : {"here-0", "here-1", "here-2"}) wait_for_file(rank);
  ::kill(launcher_, SIGUSR2);
  EXPECT_EQ(wait_for_end(20s), 0);
  for (const auto* rank : {"asked-0", "asked-1", "asked-2"}) EXPECT_TRUE(fs::exists(directory_ / rank)) << rank;
  EXPECT_EQ(errors().find("Forwarding"), std::string::npos) << errors();
}

TEST_P(MpirunLauncher, InterruptBeforeTheStartEndsItAtOnce) {
  launch("touch \"" + directory_.string() + "/here\"; forever");
  wait_for_file("here");
  ::kill(launcher_, SIGTERM);
  EXPECT_EQ(wait_for_end(10s), 3);
  expect_nothing_left();
}

TEST_P(MpirunLauncher, UnheardStopIsEnforced) {
  launch("[ $rank = 0 ] && become running; forever");
  wait_until([&] { return read_status(run_.path()).has_value(); }, "the run has started");
  ::kill(launcher_, SIGTERM);
  EXPECT_EQ(wait_for_end(20s), 3);
  EXPECT_NE(errors().find("did not answer"), std::string::npos) << errors();
  expect_nothing_left();
}

TEST_P(MpirunLauncher, RanksDieWithTheirLauncher) {
  launch("touch \"" + directory_.string() + "/here-$rank\"; forever");
  for (const auto* rank : {"here-0", "here-1", "here-2"}) wait_for_file(rank);
  ::kill(launcher_, SIGKILL);
  EXPECT_EQ(wait_for_end(10s), -SIGKILL);
  expect_nothing_left();
}

TEST_P(MpirunLauncher, Contract11HangBehindTheEndIsCutOff) {
  launch(
      "[ $rank = 0 ] && become running; is_running; sleep 0.5; [ $rank = 0 ] && { become failed; exit 0; }; forever");
  EXPECT_EQ(wait_for_end(20s), 1);
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(StandIn, MpirunLauncher, ::testing::Values(false));

// The same under the mpirun of this machine, where there is one.
std::vector<bool> real_ones() { return find_mpirun() ? std::vector<bool>{true} : std::vector<bool>{}; }
INSTANTIATE_TEST_SUITE_P(Mpirun, MpirunLauncher, ::testing::ValuesIn(real_ones()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MpirunLauncher);

TEST(MpirunLauncherAlone, SaysWhatToDoWithoutMpirun) {
  EXPECT_THROW(run_under_mpirun({.command = {"true"}, .mpirun = "no-such-mpirun"}), UsageError);
}

}  // namespace
}  // namespace slipway
