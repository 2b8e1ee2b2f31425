// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/log.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <mutex>
#include <thread>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

using testing::TemporaryDirectory;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

std::string with_digits_as_nines(std::string text) {
  for (char& letter : text) {
    if (std::isdigit(static_cast<unsigned char>(letter))) letter = '9';
  }
  return text;
}

TEST(Log, LineHasTimeHostRankNodeLevelText) {
  const TemporaryDirectory directory;
  Log log(directory.path() / "rank.log", {.host = "alpha", .rank = 3});
  log.write(LogLevel::info, "learner", "step 7");
  const auto lines = lines_of(log.file());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(with_digits_as_nines(lines[0]), "9999-99-99T99:99:99.999999Z alpha 9 learner info step 9");
}

TEST(Log, SplitsSeveralLinesAndKeepsTheirPrefix) {
  const TemporaryDirectory directory;
  Log log(directory.path() / "rank.log", {.host = "alpha", .rank = 0});
  log.write(LogLevel::warning, "a", "first\n\nthird\n");
  const auto lines = lines_of(log.file());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].ends_with(" alpha 0 a warning first")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(" alpha 0 a warning   ")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with(" alpha 0 a warning   third")) << lines[2];
}

TEST(Log, EmptyTextIsALineToo) {
  const TemporaryDirectory directory;
  Log log(directory.path() / "rank.log", {.host = "alpha", .rank = 0});
  log.info("");
  EXPECT_EQ(lines_of(log.file()).size(), 1u);
}

TEST(Log, DropsTerminalEscapesAndShowsControlCharacters) {
  const TemporaryDirectory directory;
  Log log(directory.path() / "rank.log", {.host = "alpha", .rank = 0});
  log.write(LogLevel::info, "a",
            "\x1b[31;1mred\x1b[0m\ttab \x07"
            "bell \x1b");
  const auto lines = lines_of(log.file());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].ends_with("info red\ttab \\x07bell ")) << lines[0];
}

TEST(Log, DropsWhatIsBelowItsLevel) {
  const TemporaryDirectory directory;
  Log log(directory.path() / "rank.log", {.host = "alpha", .rank = 0, .level = LogLevel::warning});
  log.info("no");
  log.error("yes");
  EXPECT_EQ(lines_of(log.file()).size(), 1u);
}

TEST(Log, EchoesWarningsWithTheirNode) {
  std::vector<std::string> echoed;
  Log log({.host = "alpha", .rank = 0, .echo = [&](LogLevel, std::string_view text) { echoed.emplace_back(text); }});
  log.write(LogLevel::info, "a", "no");
  log.write(LogLevel::warning, "a", "yes");
  log.warning("mine");
  EXPECT_EQ(echoed, (std::vector<std::string>{"a: yes", "mine"}));
}

TEST(Log, RefusesAFileItCannotOpen) { EXPECT_THROW(Log("/proc/no/such/file", {.host = "alpha", .rank = 0}), Error); }

TEST(Log, Contract17LinesOfManyThreadsAreNeverMixed) {
  const TemporaryDirectory directory;
  const auto run = RunDirectory::at(directory.path() / "run");
  constexpr int threads = 8;
  constexpr int records = 200;
  {
    Log log(run.log_file(0), {.host = "alpha", .rank = 0});
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < threads; ++writer) {
      writers.emplace_back([&log, writer] {
        const std::string node = "node/" + std::to_string(writer);
        const std::string filling(static_cast<std::size_t>(300 * writer), static_cast<char>('a' + writer));
        for (int i = 0; i < records; ++i) log.write(LogLevel::info, node, std::to_string(i) + "\n" + filling + ".");
      });
    }
  }
  for (int writer = 0; writer < threads; ++writer) {
    const auto lines = node_lines(run.path(), "node/" + std::to_string(writer));
    const std::string filling(static_cast<std::size_t>(300 * writer), static_cast<char>('a' + writer));
    ASSERT_EQ(lines.size(), 2u * records);
    for (int i = 0; i < records; ++i) {
      ASSERT_TRUE(lines[2 * static_cast<std::size_t>(i)].ends_with(" info " + std::to_string(i)));
      ASSERT_TRUE(lines[2 * static_cast<std::size_t>(i) + 1].ends_with(" info   " + filling + "."));
    }
  }
}

TEST(Log, Contract17LinesOfANodeComeFromAllRanksInOrderOfTime) {
  const TemporaryDirectory directory;
  const auto run = RunDirectory::at(directory.path() / "run");
  Log first(run.log_file(0), {.host = "alpha", .rank = 0});
  Log second(run.log_file(1), {.host = "beta", .rank = 1});
  second.write(LogLevel::info, "a", "1");
  first.write(LogLevel::info, "a", "2");
  first.write(LogLevel::info, "ab", "not this one");
  second.write(LogLevel::info, "a", "3");
  const auto lines = node_lines(run.path(), "a");
  ASSERT_EQ(lines.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(lines[i].ends_with(" a info " + std::to_string(i + 1))) << lines[i];
  EXPECT_TRUE(node_lines(run.path(), "none").empty());
  EXPECT_TRUE(node_lines(run.path() / "no", "a").empty());
}

}  // namespace
}  // namespace slipway
