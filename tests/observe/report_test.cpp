// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "slipway/observe/terminal.hpp"

namespace slipway {
namespace {

TEST(Counters, SharedAdditionsAreNotLost) {
  Counters counters(2);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 1000; ++k) counters[NodeId(1)].add_shared({.calls = 1, .busy = 2, .bytes_out = 3});
      });
    }
  }
  counters[NodeId(0)].add_exclusive({.calls = 5, .failed = 1});
  EXPECT_EQ(counters[NodeId(1)].read(), (NodeCounts{.calls = 4000, .busy = 8000, .bytes_out = 12000}));
  EXPECT_EQ(counters.total(), (NodeCounts{.calls = 4005, .failed = 1, .busy = 8000, .bytes_out = 12000}));
}

TEST(Report, ShortNumbersKeepThreeDigits) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1000), "1.00 k");
  EXPECT_EQ(short_count(12'345), "12.3 k");
  EXPECT_EQ(short_count(999'999), "1.00 M");
  EXPECT_EQ(short_bytes(1536), "1.50 KiB");
  EXPECT_EQ(short_bytes(512), "512 B");
  EXPECT_EQ(short_time(3'400'000), "3.40 ms");
  EXPECT_EQ(short_time(123'400'000'000), "123 s");
}

Report sample() {
  return {.program = "p",
          .wall_time = 2'000'000'000,
          .rows = {{"idle", 0, {.calls = 1}},
                   {"learner", 1, {.calls = 1200, .busy = 1'500'000'000, .waiting = 2'000'000, .bytes_in = 4096}},
                   {"actor/0", 2, {.calls = 7, .failed = 1, .busy = 3'000}}}};
}

TEST(Report, TableHasTheBusiestFirstAndATotal) {
  EXPECT_EQ(to_text(sample()),
            "p ran 2.00 s\n"
            "  node     rank   calls  failed     busy  waiting        in  out\n"
            "  learner     1  1.20 k       0   1.50 s  2.00 ms  4.00 KiB  0 B\n"
            "  actor/0     2       7       1  3.00 us     0 ns       0 B  0 B\n"
            "  idle        0       1       0     0 ns     0 ns       0 B  0 B\n"
            "  total          1.21 k       1   1.50 s  2.00 ms  4.00 KiB  0 B\n");
}

TEST(Report, WorkComesFirst) {
  Report report = sample();
  report.work = {{"frames", 1'200'000, 2'000'000'000}, {"games", 3, 1'500'000'000}};
  const auto text = to_text(report);
  EXPECT_NE(text.find("p ran 2.00 s\n  1.20 M frames in 2.00 s: 600 k/s\n  3 games in 1.50 s: 2/s\n  node"),
            std::string::npos)
      << text;
  const auto object = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(object["work"][0]["unit"], "frames");
  EXPECT_EQ(object["work"][0]["per_second"], 600'000);
}

TEST(Report, LongTablesAreCut) {
  const auto text = to_text(sample(), 1);
  EXPECT_NE(text.find("and 2 more"), std::string::npos) << text;
  EXPECT_EQ(text.find("actor"), std::string::npos) << text;
}

TEST(Report, JsonHasRawNumbers) {
  const auto object = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(object["nodes"].size(), 3u);
  EXPECT_EQ(object["nodes"][0]["node"], "learner");
  EXPECT_EQ(object["total"]["busy_ns"], 1'500'003'000);
}

TEST(Report, JsonIsReadBack) {
  Report report = sample();
  report.starting = 5;
  report.running = 1'900'000'000;
  report.work = {{"frames", 0.5, 7}};
  const auto read = parse_report(to_json(report));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(report));
  EXPECT_EQ(parse_report("{}"), std::nullopt);
  EXPECT_EQ(parse_report("no json"), std::nullopt);
}

// What a Terminal wrote into a pipe.
class TerminalOutput {
 public:
  TerminalOutput() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~TerminalOutput() { ::close(ends_[0]); }
  int descriptor() const { return ends_[1]; }
  std::string take() {
    ::close(ends_[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t size; (size = ::read(ends_[0], part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  std::array<int, 2> ends_{};
};

RunStatus running() {
  return {.program = "p", .state = RunState::running, .progress = {.workers = 3, .workers_done = 1, .calls = 1200}};
}

TEST(Terminal, ProgressTextSaysHowItStands) {
  const RunProgress before{.calls = 0};
  EXPECT_EQ(progress_text(running(), 3'723'000'000'000, before, 2'000'000'000),
            "p 1:02:03 running, 1 of 3 workers done, 1.20 k calls, 600/s");
}

TEST(Terminal, ProgressTextHasTheWorkAndItsRate) {
  RunStatus status = running();
  status.progress.work = {{"frames", 5000}, {"games", 2.5}};
  const RunProgress before{.calls = 1200, .work = {{"frames", 3000}}};
  EXPECT_EQ(progress_text(status, 0, before, 4'000'000'000),
            "p 0:00:00 running, 1 of 3 workers done, 1.20 k calls, 0/s, 5.00 k frames, 500/s, 2.5 games, 0.625/s");
}

TEST(Terminal, RedrawsItsLineBelowMessages) {
  TerminalOutput output;
  {
    Terminal terminal({.is_terminal = true, .columns = 20, .progress_every = 1}, output.descriptor());
    terminal.progress(running());
    terminal.message(LogLevel::warning, "careful");
  }
  EXPECT_EQ(output.take(), "p 0:00:00 running, \r\x1b[Kslipway: warning: careful\np 0:00:00 running, \r\x1b[K");
}

TEST(Terminal, PlainLinesWithoutEscapesElsewhere) {
  TerminalOutput output;
  {
    Terminal terminal({.progress_every = 1}, output.descriptor());
    terminal.progress(running());
    terminal.message(LogLevel::error, "broken");
    terminal.message(LogLevel::info, "fine");
  }
  const auto text = output.take();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\nslipway: error: broken\nslipway: fine\n"), std::string::npos) << text;
}

TEST(Terminal, QuietShowsWarningsOnly) {
  TerminalOutput output;
  {
    Terminal terminal({.quiet = true, .is_terminal = true, .colour = true, .progress_every = 1}, output.descriptor());
    terminal.progress(running());
    terminal.message(LogLevel::info, "no");
    terminal.message(LogLevel::error, "yes");
  }
  EXPECT_EQ(output.take(), "slipway: \x1b[31merror\x1b[0m: yes\n");
}

TEST(Terminal, NotOftenerThanAsked) {
  TerminalOutput output;
  {
    Terminal terminal({.progress_every = 3'600'000'000'000}, output.descriptor());
    terminal.progress(running());
  }
  EXPECT_EQ(output.take(), "");
}

}  // namespace
}  // namespace slipway
