// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Tasks that ask for more than a core, or for a rank.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "../runtime_contract/everywhere.hpp"
#include "slipway/tasks/task_asks.hpp"

namespace slipway::test::resources {  // functions of tasks need names of their own in the whole program
namespace {

using detail::RankCapacity;
using detail::TaskAsks;
using ::testing::HasSubstr;

void spend(int milliseconds) { seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds))); }
std::uint32_t own_rank() { return detail::Endpoint::of_this_thread().rank().value(); }

struct Counts {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  std::atomic<int> all{0};
};
std::array<Counts, 4> counts;  // by rank

std::uint32_t use(int milliseconds) {
  Counts& mine = counts[own_rank()];
  const int now = ++mine.now;
  int most = mine.most;
  while (most < now && !mine.most.compare_exchange_weak(most, now)) {
  }
  spend(milliseconds);
  --mine.now;
  ++mine.all;
  return own_rank();
}
std::uint32_t where() { return own_rank(); }
int length(const std::vector<double>& values) { return static_cast<int>(values.size()); }
std::uint32_t where_with(const std::vector<double>& values) { return values.empty() ? 99 : own_rank(); }
int nested(int depth) { return depth == 0 ? 1 : 1 + get(submit<&nested>(on({.cpus = 2}), depth - 1)); }

struct Maker {
  Ref<std::vector<double>> make(std::size_t size) { return put(std::vector<double>(size)); }
};
struct Nothing {
  void run() {}
};

template <class Body>
void run_on(Conditions setup, Body&& body) {
  for (Counts& each : counts) each.now = each.most = each.all = 0;
  Program program("resources");
  const auto maker = program.with(on_rank(setup.ranks - 1)).node<Maker>("maker");
  program.node<Nothing>("nothing");
  setup.options.emplace_back("resources", "camera=1");
  const auto result = testing::run(program, setup, [&](Running&) { body(maker, setup.ranks); });
  EXPECT_EQ(result.status, 0) << result.failure;
}

// With real threads and under seeds, on 1, 2 and 3 ranks.
template <class Body>
void on_ranks(std::uint32_t threads, Body&& body) {
  for (const std::uint32_t ranks : {1U, 2U, 3U}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, real threads");
    run_on({.ranks = ranks, .pool_threads = threads}, body);
    if (::testing::Test::HasFailure()) return;
  }
  testing::for_each_seed(0, [&](std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run_on({.ranks = 1 + static_cast<std::uint32_t>(seed % 3), .seed = seed, .pool_threads = threads}, body);
    return !::testing::Test::HasFailure();
  });
}

TEST(TaskResources, AreNeverGivenTwice) {
  on_ranks(3, [](const Handle<Maker>&, std::uint32_t ranks) {
    std::vector<Ref<std::uint32_t>> refs;
    for (int i = 0; i < 12; ++i) refs.push_back(submit<&use>(on({.named = {{"camera", 1}}}), 2));
    get(std::move(refs));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(counts[rank].most, 1);
      EXPECT_GT(counts[rank].all, 0) << "no task on rank " << rank;
    }
  });
}

TEST(TaskResources, MayBeShared) {
  on_ranks(4, [](const Handle<Maker>&, std::uint32_t ranks) {
    std::vector<Ref<std::uint32_t>> refs;
    for (int i = 0; i < 18; ++i) refs.push_back(submit<&use>(on({.named = {{"camera", 0.3333}}}), 10));
    get(std::move(refs));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_LE(counts[rank].most, 3);
    EXPECT_EQ(counts[0].most, 3);
  });
}

TEST(TaskResources, WhatWaitsForThemMayBeCancelled) {
  on_ranks(1, [](const Handle<Maker>&, std::uint32_t) {
    const On camera = on({.named = {{"camera", 1}}, .on_rank = RankId(0)});
    const Ref<std::uint32_t> first = submit<&use>(camera, 5);
    const Ref<std::uint32_t> second = submit<&use>(camera, 5);
    const Ref<std::uint32_t> third = submit<&use>(camera, 5);
    cancel(second);
    EXPECT_EQ(get(third), 0U);
    EXPECT_TRUE(throws<Cancelled>([&] { get(second); }));
    EXPECT_EQ(get(first), 0U);
  });
}

TEST(TaskResources, WhatIsCancelledDoesNotHoldUpWhatIsBehindIt) {
  on_ranks(3, [](const Handle<Maker>&, std::uint32_t) {
    const auto camera = [](double amount) { return on({.named = {{"camera", amount}}, .on_rank = RankId(0)}); };
    const Ref<std::uint32_t> half = submit<&use>(camera(0.5), 40);
    const Ref<std::uint32_t> whole = submit<&use>(camera(1), 1);
    const Ref<std::uint32_t> other = submit<&use>(camera(0.5), 1);
    spend(2);
    cancel(whole);
    get(other);
    EXPECT_FALSE(half.ready());
    get(half);
  });
}

TEST(TaskResources, Contract15_WhatNoRankHasFailsAtOnce) {
  on_ranks(1, [](const Handle<Maker>&, std::uint32_t ranks) {
    const auto refused = [](const On& asked) -> std::string {
      try {
        static_cast<void>(submit<&use>(asked, 0));
        return "";
      } catch (const UsageError& error) {
        return error.what();
      }
    };
    EXPECT_THAT(refused(on({.named = {{"camera", 2}}})), HasSubstr("the most that any rank has: "));
    EXPECT_THAT(refused(on({.named = {{"camera", 2}}})), HasSubstr("1 camera"));
    EXPECT_THAT(refused(on({.named = {{"lamp", 0.5}}})), HasSubstr("0 lamp"));
    EXPECT_THAT(refused(on({.gpus = 1})), HasSubstr("0 gpus"));
    EXPECT_THAT(refused(on({.cpus = 1000})), HasSubstr("a task asks for 1000 cpus"));
    EXPECT_THAT(refused(on({.on_rank = RankId(ranks)})), HasSubstr("there are " + std::to_string(ranks)));
    EXPECT_THAT(refused(on({.gpus = -1})), HasSubstr("-1 of gpus"));
    EXPECT_THAT(refused(on({.gpus = 1.5})), HasSubstr("whole number"));
    EXPECT_THAT(refused(on({.named = {{"camera", 0.00001}}})), HasSubstr("steps of 0.0001"));
  });
}

TEST(TaskPlacement, OnARank) {
  on_ranks(1, [](const Handle<Maker>&, std::uint32_t ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::vector<Ref<std::uint32_t>> refs;
      for (int i = 0; i < 600; ++i) refs.push_back(submit<&where>(on({.on_rank = RankId(rank)})));
      for (const auto& done : get(std::move(refs))) EXPECT_EQ(done.value(), rank);
    }
  });
}

TEST(TaskPlacement, NearAValue) {
  on_ranks(1, [](const Handle<Maker>& maker, std::uint32_t ranks) {
    const auto far = maker.get<&Maker::make>(std::size_t{100'000});
    EXPECT_EQ(far.rank(), RankId(ranks - 1));
    EXPECT_EQ(get(submit<&where_with>(on({}).near(far), far)), ranks - 1);
    const Ref<std::vector<double>> here = put(std::vector<double>(10));
    EXPECT_EQ(get(submit<&where_with>(on({}).near(here), here)), 0U);
    EXPECT_EQ(get(submit<&length>(on({}).near(far), far)), 100'000);
  });
}

TEST(TaskResources, Contract15_CoresOfWhoWaitsAreFree) {
  for (const std::uint32_t ranks : {1U, 2U}) {
    run_on({.ranks = ranks, .pool_threads = 2}, [](const Handle<Maker>&, std::uint32_t) {
      EXPECT_EQ(get(submit<&nested>(on({.cpus = 2}), 20)), 21);
      std::vector<Ref<std::uint32_t>> refs;
      for (int i = 0; i < 8; ++i) refs.push_back(submit<&use>(on({.cpus = 2}), 3));
      for (int i = 0; i < 8; ++i) refs.push_back(submit<&use>(on({.cpus = 0}), 3));
      get(std::move(refs));
    });
  }
}

// Keeps so many cores busy; how many that are at once shows in `most`.
void use_cores(int cores, int milliseconds) {
  Counts& mine = counts[own_rank()];
  const int now = mine.now += cores;
  int most = mine.most;
  while (most < now && !mine.most.compare_exchange_weak(most, now)) {
  }
  spend(milliseconds);
  mine.now -= cores;
  ++mine.all;
}

TEST(TaskResources, TasksKeepNoMoreCoresBusyThanThereAre) {
  on_ranks(4, [](const Handle<Maker>&, std::uint32_t ranks) {
    std::vector<Ref<void>> refs;
    for (int i = 0; i < 35; ++i) {
      const int cores = std::array{1, 1, 3, 1, 2, 1, 4}[static_cast<std::size_t>(i % 7)];
      refs.push_back(submit<&use_cores>(on({.cpus = static_cast<double>(cores)}), cores, 1 + i % 3));
    }
    wait(std::move(refs));  // unlike get it runs none of them on this thread
    for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_LE(counts[rank].most, 4);
  });
}

std::atomic<int> small_begun;
void small() {
  ++small_begun;
  spend(1);
}
int begun_before() { return small_begun; }

// Though small ones are always ready and would have room at any time.
TEST(TaskResources, ATaskOfManyCoresHasItsTurn) {
  on_ranks(2, [](const Handle<Maker>&, std::uint32_t) {
    small_begun = 0;
    std::vector<Ref<void>> refs;
    for (int i = 0; i < 50; ++i) refs.push_back(submit<&small>());
    const Ref<int> wide = submit<&begun_before>(on({.cpus = 2}));
    for (int i = 0; i < 250; ++i) refs.push_back(submit<&small>());
    wait(std::vector{wide});
    EXPECT_LT(get(wide), 150);
    wait(std::move(refs));
  });
}

std::atomic<bool> let_go{false};
int until_let_go() {
  while (!let_go) spend(1);
  return 1;
}
int plain(int value) { return value; }

// Whatever becomes of a task that waits for many cores, it must not hold back others for ever.
TEST(TaskResources, ATaskOfManyCoresThatIsNotWantedHoldsNobodyBack) {
  on_ranks(2, [](const Handle<Maker>&, std::uint32_t) {
    let_go = false;
    const On here = on({.on_rank = RankId(0)});
    const On wide = on({.cpus = 2, .on_rank = RankId(0)});
    const auto keeps_one = submit<&until_let_go>(here);
    const auto cancelled = submit<&plain>(wide, 1);
    const auto late = submit<&plain>(on({.cpus = 2, .on_rank = RankId(0), .timeout = std::chrono::milliseconds(5)}), 2);
    const auto behind = submit<&plain>(here, 3);
    cancel(cancelled);
    EXPECT_EQ(wait(std::vector{behind}).front().value(), 3);
    EXPECT_NE(wait(std::vector{late}).front().outcome(), Outcome::ok);
    let_go = true;
    EXPECT_EQ(get(keeps_one), 1);
    EXPECT_EQ(wait(std::vector{submit<&plain>(wide, 4)}).front().value(), 4);
  });
}

int waits_with_many(int depth) {
  if (depth == 0) return 1;
  return 1 + wait(std::vector{submit<&waits_with_many>(on({.cpus = 4}), depth - 1)}).front().value();
}

// What waits gives its cores away, and waits for nobody's when it goes on.
TEST(TaskResources, TasksOfAllCoresMayWaitForEachOther) {
  on_ranks(4, [](const Handle<Maker>&, std::uint32_t) {
    std::vector<Ref<int>> refs;
    for (int i = 0; i < 5; ++i) refs.push_back(submit<&waits_with_many>(on({.cpus = 4}), 6));
    for (const auto& done : wait(std::move(refs))) EXPECT_EQ(done.value(), 7);
  });
}

std::vector<std::uint32_t> own_gpus(TaskContext& context, int milliseconds) {
  use(milliseconds);
  return context.gpus();
}
struct KeepsOneGpu {};

// Three devices on the rank's list, of which a node has the first.
TEST(TaskResources, GpusAreKnownByTheirPlaces) {
  ::setenv("CUDA_VISIBLE_DEVICES", "4,5,6", 1);
  for (Counts& each : counts) each.now = each.most = each.all = 0;
  Program program("gpus");
  program.with({.resources = {.gpus = 0.5}}).node<KeepsOneGpu>("keeps_one");
  program.node<Nothing>("nothing");
  const auto result = testing::run(program, {.pool_threads = 8}, [&](Running&) {
    EXPECT_TRUE(throws<UsageError>([] { submit<&own_gpus>(on({.gpus = 3}), 0); }));
    EXPECT_THAT(get(submit<&own_gpus>(on({.gpus = 2}), 0)), ::testing::UnorderedElementsAre(1U, 2U));
    EXPECT_TRUE(get(submit<&own_gpus>(0)).empty());
    std::vector<Ref<std::vector<std::uint32_t>>> refs;
    for (int i = 0; i < 12; ++i) refs.push_back(submit<&own_gpus>(on({.gpus = 0.5}), 10));
    std::set<std::uint32_t> seen;
    for (const auto& done : wait(std::move(refs))) {
      ASSERT_EQ(done.value().size(), 1U);
      seen.insert(done.value()[0]);
    }
    EXPECT_EQ(seen, (std::set<std::uint32_t>{1, 2}));
    EXPECT_EQ(counts[0].most, 4) << "two halves of each of two devices";
  });
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(result.status, 0) << result.failure;
}

TEST(TaskResources, Contract8_AStopDropsWhatWaitsForThem) {
  for (const std::uint32_t ranks : {1U, 2U}) {
    Program program("stopped");
    struct Stopper {
      void run(Context& context) {
        for (int i = 0; i < 50; ++i) submit<&use>(on({.named = {{"camera", 1}}}), 10);
        spend(15);
        context.stop("enough");
      }
    };
    program.node<Stopper>("stopper");
    const auto result = testing::run(program, {.ranks = ranks, .options = {{"resources", "camera=1"}}});
    EXPECT_EQ(result.status, 0) << result.failure;
  }
}

TEST(RankCapacity, SlotsOfAShape) {
  const RankCapacity rank{
      .cpus = 4 * TaskAsks::unit, .gpus = 2 * TaskAsks::unit, .memory = 1000, .named = {{"camera", 15'000}}};
  const auto slots = [&rank](const On& asked) { return rank.slots(*TaskAsks::from(asked)); };
  EXPECT_EQ(slots(on({.cpus = 2})), 2U);
  EXPECT_EQ(slots(on({.cpus = 5})), 0U);
  EXPECT_EQ(slots(on({.gpus = 1})), 2U);
  EXPECT_EQ(slots(on({.cpus = 0.1, .gpus = 0.3})), 6U);  // three on each device
  EXPECT_EQ(slots(on({.gpus = 3})), 0U);
  EXPECT_EQ(slots(on({.memory = 400})), 2U);
  EXPECT_EQ(slots(on({.named = {{"camera", 0.75}}})), 2U);
  EXPECT_EQ(slots(on({.named = {{"camera", 0.7501}}})), 1U);
  EXPECT_EQ(TaskAsks::from(on({.name = "plain", .priority = 3})), nullptr);
}

}  // namespace
}  // namespace slipway::test::resources
