// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// What other ranks wait for does not wait until a core is free.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "run_body.hpp"

namespace slipway::test::busy_cores {
namespace {

std::atomic<bool> let_go{false};

void spend(int milliseconds) { seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds))); }
int compute_until_let_go() {
  while (!let_go) spend(1);
  return 1;
}
struct Word {
  std::string text;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
};
double look(const std::vector<double>& values, const Word& word) {
  return std::accumulate(values.begin(), values.end(), 0.0) + static_cast<double>(word.text.size());
}
Word make_word(std::size_t size) { return {std::string(size, 'x')}; }
void do_nothing() {}

// The one core of each rank computes until all that follows has been done.
template <class Body>
void on_busy_ranks(Body&& body) {
  const auto scenario = [&body](Conditions setup) {
    setup.ranks = 2;
    setup.pool_threads = 1;
    let_go = false;
    const auto result = run_body(setup, [&body] {
      const auto busy = submit<&compute_until_let_go>(on({.on_rank = RankId(0)}));
      body();
      let_go = true;
      EXPECT_EQ(get(busy), 1);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  };
  scenario({});
  testing::for_each_seed(20, [&scenario](std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    scenario({.seed = seed});
    return !::testing::Test::HasFailure();
  });
}

TEST(BusyCores, GiveTheirValuesAway) {
  on_busy_ranks([] {
    const auto there = on({.on_rank = RankId(1)});
    const auto values = put(std::vector<double>(10'000, 2.0));
    const auto word = submit<&make_word>(there, 9'000UL);
    const auto sum = submit<&look>(there, values, word);
    for (const auto& done : wait(std::vector{sum})) EXPECT_EQ(done.value(), 29'000);
    EXPECT_EQ(get(word).text.size(), 9'000U) << "decoding it runs user code";
  });
}

TEST(BusyCores, LetTasksBeCancelled) {
  on_busy_ranks([] {
    const auto never = submit<&compute_until_let_go>(on({.on_rank = RankId(0)}));
    const auto next = submit<&look>(on({.on_rank = RankId(1)}), std::vector<double>(), submit<&make_word>(1UL));
    cancel(never);
    EXPECT_EQ(wait(std::vector{never}).front().outcome(), Outcome::cancelled);
    EXPECT_EQ(wait(std::vector{next}).front().value(), 1) << "the other rank ran what the busy one could not";
    wait(std::vector{submit<&do_nothing>(on({.on_rank = RankId(1)}))});
  });
}

// On one core: tasks that only wait for something outside have a thread each.
TEST(BusyCores, AreNotNeededForTasksThatAskForNone) {
  let_go = false;
  const auto scenario = [](const Conditions& setup) {
    let_go = false;
    const auto result = run_body(setup, [] {
      std::vector<Ref<int>> sleepers;
      for (int i = 0; i < 5; ++i) sleepers.push_back(submit<&compute_until_let_go>(on({.cpus = 0})));
      for (int i = 0; i < 5; ++i) wait(std::vector{submit<&do_nothing>()});
      let_go = true;
      EXPECT_EQ(wait(sleepers).size(), 5U);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  };
  scenario({.pool_threads = 1});
  testing::for_each_seed(10, [&scenario](std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    scenario({.seed = seed, .pool_threads = 1});
    return !::testing::Test::HasFailure();
  });
}

}  // namespace
}  // namespace slipway::test::busy_cores
