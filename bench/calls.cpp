// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <slipway/slipway.hpp>
#include <string>
#include <vector>

#include "flags.hpp"
#include "measure.hpp"

// Calls from rank 0 to a service, in the shapes that bench/raw.cpp gives plain MPI.
// Flags: --effort PERCENT, --most-outstanding CALLS (1, 64 or 1024: wider shapes are left out), --callee-rank RANK.
namespace {

using bench::Clock;
using Message = std::array<char, 64>;

struct Settings {
  bench::Effort effort;
  int most_outstanding = 1024;
};

struct Echo {
  Message reply(const Message& message) { return message; }
};

struct Caller {
  slipway::Handle<Echo> echo;
  Settings settings;

  void run() {
    const bench::Effort effort = settings.effort;
    bench::print_figure("round_trip_us", 1e6 * bench::median([&] { return round_trip(effort.of(3000)); }));
    for (const int window : {64, 1024}) {
      if (window > settings.most_outstanding) return;
      const int rounds = effort.of(128 * 1024 / window);
      bench::print_figure(("calls_" + std::to_string(window) + "_per_s").c_str(),
                          bench::median([&] { return calls_per_second(window, rounds); }));
    }
  }

  double round_trip(int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) echo.get<&Echo::reply>(Message{});
    return bench::seconds_since(start) / calls;
  }

  double calls_per_second(int window, int rounds) {
    std::vector<slipway::Future<Message>> replies;
    replies.reserve(static_cast<std::size_t>(window));
    const auto start = Clock::now();
    for (int round = 0; round < rounds; ++round) {
      replies.clear();
      for (int i = 0; i < window; ++i) replies.push_back(echo.call<&Echo::reply>(Message{}));
      for (auto& reply : replies) reply.get();
    }
    return window * rounds / bench::seconds_since(start);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  examples::Flags flags(argc, argv);
  Settings settings;
  settings.effort.percent = flags.get("--effort", settings.effort.percent);
  settings.most_outstanding = flags.get("--most-outstanding", settings.most_outstanding);
  const auto callee = slipway::RankId(flags.get("--callee-rank", std::uint32_t{1}));
  flags.check();

  slipway::Program program("bench_calls");
  auto echo = program.with({.wishes = {.on_rank = callee}}).node<Echo>("echo");
  program.with({.wishes = {.on_rank = slipway::RankId(0)}}).node<Caller>("caller", echo, settings);
  return slipway::launch(program, options);
}
