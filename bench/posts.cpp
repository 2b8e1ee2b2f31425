// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <slipway/slipway.hpp>

#include "flags.hpp"
#include "measure.hpp"

// One-way posts of 64 bytes from rank 0 to rank 1; bench/baseline/ygm_posts.cpp is the same in YGM.
// Flag: --effort PERCENT.
namespace {

using bench::Clock;
using Message = std::array<char, 64>;

struct Counter {
  std::uint64_t posts = 0;
  void note(const Message&) { ++posts; }
  std::uint64_t noted() { return posts; }
};

struct Poster {
  slipway::Handle<Counter> counter;
  bench::Effort effort;

  void run() {
    bench::print_figure("posts_per_s", bench::median([&] { return posts_per_second(effort.of(200'000)); }));
  }

  double posts_per_second(int posts) {
    const auto start = Clock::now();
    for (int i = 0; i < posts; ++i) counter.post<&Counter::note>(Message{});
    counter.get<&Counter::noted>();  // in order behind the posts: all have run
    return posts / bench::seconds_since(start);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  examples::Flags flags(argc, argv);
  const bench::Effort effort{flags.get("--effort", 100)};
  flags.check();

  slipway::Program program("bench_posts");
  auto counter = program.with({.wishes = {.on_rank = slipway::RankId(1)}}).node<Counter>("counter");
  program.with({.wishes = {.on_rank = slipway::RankId(0)}}).node<Poster>("poster", counter, effort);
  return slipway::launch(program, options);
}
