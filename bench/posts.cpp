// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <slipway/slipway.hpp>

#include "measure.hpp"
#include "pair.hpp"

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

int main(int argc, char** argv) { return bench::run_pair<Counter, Poster>("bench_posts", argc, argv); }
