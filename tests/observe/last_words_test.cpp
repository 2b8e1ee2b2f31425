// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/last_words.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "slipway/observe/log.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

using testing::TemporaryDirectory;

void announce(int status, const char* text) {
  const char digit = static_cast<char>('0' + status);
  const bool written = ::write(2, "hook ", 5) == 5 && ::write(2, &digit, 1) == 1 && ::write(2, " ", 1) == 1 &&
                       ::write(2, text, std::strlen(text)) > 0 && ::write(2, "\n", 1) == 1;
  if (!written) ::_exit(9);
}

// A process whose node "learner" does something fatal as rank 3, in a thread of its own.
class LastWords : public ::testing::Test {
 protected:
  LastWords() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  [[noreturn]] void die_as_learner(const std::function<void()>& fatal) {
    Log log(run_.log_file(3), {.host = "alpha", .rank = 3});
    last_words::Rank rank;
    rank.set(3, "alpha", log.descriptor(), log.file(), run_.failure_file(3));
    last_words::install(announce);
    last_words::set_run_in_progress(true);
    std::thread([&] {
      const last_words::AlternateStack stack;
      const last_words::At at(&rank, "learner", "step");
      fatal();
    }).join();
    ::_exit(7);
  }

  // A death test of this style runs the test again in a new process: both must agree on the directory.
  RunDirectory run_ = RunDirectory::at([] {
    const char* given = std::getenv("LAST_WORDS_TEST_DIRECTORY");
    if (given) return std::filesystem::path(given);
    static const TemporaryDirectory directory;
    ::setenv("LAST_WORDS_TEST_DIRECTORY", directory.path().c_str(), 1);
    return directory.path();
  }());

  FirstFailure failure() const { return read_last_words(run_.path(), 3).value_or(FirstFailure{.node = "no record"}); }
  std::string last_line() const {
    const auto lines = node_lines(run_.path(), "learner");
    return lines.empty() ? "" : lines.back();
  }
};

int* volatile nowhere = nullptr;

// The fault is the system's to find, not the undefined-behaviour sanitizer's.
__attribute__((no_sanitize("undefined"))) void write_nowhere() { *nowhere = 1; }

void fail_in_row(int row) { throw std::out_of_range("row " + std::to_string(row)); }

TEST_F(LastWords, Contract9SegmentationFaultEndsWithOne) {
  EXPECT_EXIT(
      die_as_learner([] { write_nowhere(); }), ::testing::ExitedWithCode(1),
      "slipway: error: node learner method step on rank 3 \\(host alpha\\): segmentation fault \\(SIGSEGV\\) at "
      "address 0x0");
  EXPECT_EQ(failure().node, "learner");
  EXPECT_EQ(failure().rank, 3u);
  EXPECT_EQ(failure().host, "alpha");
  EXPECT_EQ(failure().type, "SIGSEGV");
  EXPECT_EQ(failure().status, ExitStatus::node_failed);
  EXPECT_EQ(failure().log_file, run_.log_file(3).string());
  EXPECT_EQ(read_first_last_words(run_.path())->node, "learner");
  EXPECT_NE(last_line().find(" alpha 3 learner error node learner method step"), std::string::npos) << last_line();
}

// Which becomes the working directory.
void want_core_in(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  std::filesystem::current_path(directory);
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_CORE, &limit);
}

bool cores_can_be_had() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max > 0;
}

// Whether the system writes files, into the working directory: not so where a handler takes them.
bool cores_are_files_here() {
  if (!cores_can_be_had()) return false;
  const auto pattern = read_file("/proc/sys/kernel/core_pattern").value_or("");
  return pattern.find_first_of("/|@") == std::string::npos && pattern != "\n";
}

std::ptrdiff_t cores_in(const std::filesystem::path& directory) {
  const std::filesystem::directory_iterator files(directory);
  return std::count_if(begin(files), end(files), [](const auto& file) {
    return file.is_regular_file() && read_file(file.path()).value_or("").starts_with("\177ELF");
  });
}

// What a crash says, in its order.
std::string core_then_hook() {
  const std::string core = cores_can_be_had() ? "slipway: a core is written, of process [0-9]+, .*" : "";
  return "learner method step.*" + core + "hook 1 ";
}

TEST_F(LastWords, Contract9ASignalLeavesACoreWhereTheLimitAllowsIt) {
  EXPECT_EXIT(
      {
        want_core_in(run_.path() / "of_signal");
        die_as_learner([] { write_nowhere(); });
      },
      ::testing::ExitedWithCode(1), core_then_hook());
  EXPECT_EQ(cores_in(run_.path() / "of_signal"), cores_are_files_here() ? 1 : 0);
}

TEST_F(LastWords, Contract9AnUncaughtExceptionLeavesACoreToo) {
  EXPECT_EXIT(
      {
        want_core_in(run_.path() / "of_exception");
        die_as_learner([]() noexcept { fail_in_row(7); });
      },
      ::testing::ExitedWithCode(1), core_then_hook());
  EXPECT_EQ(cores_in(run_.path() / "of_exception"), cores_are_files_here() ? 1 : 0);
}

TEST_F(LastWords, Contract9ExitLeavesNoCore) {
  EXPECT_EXIT(
      {
        want_core_in(run_.path() / "of_exit");
        die_as_learner([] { std::exit(0); });
      },
      ::testing::ExitedWithCode(1), "exit.. was called.*hook 1 ");
  EXPECT_EQ(cores_in(run_.path() / "of_exit"), 0);
}

TEST_F(LastWords, Contract9AbortEndsWithOne) {
  EXPECT_EXIT(die_as_learner([] { std::abort(); }), ::testing::ExitedWithCode(1),
              "hook 1 node learner method step on rank 3 .host alpha.: abort.. was called .SIGABRT.");
  EXPECT_EQ(failure().type, "SIGABRT");
}

TEST_F(LastWords, Contract9ExitEndsWithOne) {
  EXPECT_EXIT(die_as_learner([] { std::exit(0); }), ::testing::ExitedWithCode(1),
              "node learner method step .*: exit.. was called");
  EXPECT_EQ(failure().type, "exit");
}

TEST_F(LastWords, Contract9QuickExitEndsWithOne) {
  EXPECT_EXIT(die_as_learner([] { std::quick_exit(0); }), ::testing::ExitedWithCode(1), "exit.. was called");
}

TEST_F(LastWords, UncaughtExceptionIsNamed) {
  EXPECT_EXIT(die_as_learner([]() noexcept { fail_in_row(7); }), ::testing::ExitedWithCode(1),
              "node learner .*: uncaught std::out_of_range: row 7");
  EXPECT_EQ(failure().type, "std::out_of_range");
}

__attribute__((noinline)) int endless(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? room[0] : endless(depth + 1) + room[0];
}

TEST_F(LastWords, OverflowOfAThreadsStackHasWordsToo) {
  EXPECT_EXIT(die_as_learner([] { endless(0); }), ::testing::ExitedWithCode(1), "segmentation fault");
}

TEST_F(LastWords, ExitAfterTheRunIsTheProgramsOwn) {
  EXPECT_EXIT(
      {
        last_words::install(nullptr);
        last_words::set_run_in_progress(true);
        last_words::set_run_in_progress(false);
        std::exit(5);
      },
      ::testing::ExitedWithCode(5), "");
}

TEST_F(LastWords, SecondThreadToDieWaitsForTheFirst) {
  EXPECT_EXIT(die_as_learner([] {
                std::thread([] { write_nowhere(); }).detach();
                write_nowhere();
              }),
              ::testing::ExitedWithCode(1), "segmentation fault");
}

TEST(LastWordsPlace, ScopesNest) {
  last_words::Rank rank;
  {
    const last_words::At outer(&rank, "a", "f");
    {
      const last_words::At inner(&rank, "b", "g");
      EXPECT_STREQ(last_words::place.node, "b");
    }
    EXPECT_STREQ(last_words::place.node, "a");
  }
  EXPECT_EQ(last_words::place.node, nullptr);
}

}  // namespace
}  // namespace slipway
