// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <slipway/slipway.hpp>
#include <string>
#include <vector>

// Calls from rank 0 to a service on rank 1, in the shapes that bench/raw.cpp gives plain MPI. Prints "figure NAME VALUE".
namespace {

using Clock = std::chrono::steady_clock;
using Message = std::array<char, 64>;

struct Echo {
  std::uint64_t posts = 0;
  Message reply(const Message& message) { return message; }
  void note(const Message&) { ++posts; }
  std::uint64_t noted() { return posts; }
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The median of nine turns: another job's time slice in one of them does not count.
template <class Turn>
double median(Turn turn) {
  std::array<double, 9> values{};
  for (double& value : values) value = turn();
  std::nth_element(values.begin(), values.begin() + 4, values.end());
  return values[4];
}

struct Caller {
  slipway::Handle<Echo> echo;

  void run() {
    const double trip = median([&] { return round_trip(3000); });
    std::printf("figure round_trip_us %.3f\n", trip * 1e6);
    for (const int window : {64, 1024}) {
      const double rate = median([&] { return calls_per_second(window, 128 * 1024 / window); });
      std::printf("figure calls_%d_per_s %.0f\n", window, rate);
    }
    std::printf("figure posts_per_s %.0f\n", median([&] { return posts_per_second(200'000); }));
    std::fflush(stdout);
  }

  double round_trip(int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) echo.get<&Echo::reply>(Message{});
    return seconds_since(start) / calls;
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
    return window * rounds / seconds_since(start);
  }

  double posts_per_second(int posts) {
    const auto start = Clock::now();
    for (int i = 0; i < posts; ++i) echo.post<&Echo::note>(Message{});
    echo.get<&Echo::noted>();  // in order behind the posts: all have run
    return posts / seconds_since(start);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Program program("bench_calls");
  auto echo = program.with({.wishes = {.on_rank = slipway::RankId(1)}}).node<Echo>("echo");
  program.with({.wishes = {.on_rank = slipway::RankId(0)}}).node<Caller>("caller", echo);
  return slipway::launch(program, argc, argv);
}
