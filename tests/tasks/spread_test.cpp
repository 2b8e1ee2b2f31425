// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Tasks and values on several ranks.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "on_ranks.hpp"

namespace slipway::test::on_ranks {  // functions of tasks need names of their own in the whole program
namespace {

using ::testing::HasSubstr;

std::uint32_t slow_rank(int milliseconds) {
  spend(milliseconds);
  return own_rank();
}
std::uint32_t failing(int milliseconds) {
  spend(milliseconds);
  throw std::domain_error("on rank " + std::to_string(own_rank()));
}

Numbers no_numbers() { throw std::domain_error("none"); }

TEST(TasksOnRanks, IdleRanksTakePart) {
  for (const std::uint32_t threads : {1U, 2U}) {
    spread(threads, [&](const Setting& setting) {
      std::vector<Ref<std::uint32_t>> refs;
      for (std::uint32_t i = 0; i < 10 * threads * setting.keepers.size(); ++i) {
        refs.push_back(submit<&slow_rank>(4));
      }
      std::set<std::uint32_t> ranks;
      for (const auto& done : get(std::move(refs))) ranks.insert(done.value());
      EXPECT_EQ(ranks.size(), setting.keepers.size());
    });
  }
}

TEST(TasksOnRanks, FailuresSayWhereTheyWere) {
  spread(1, [](const Setting&) {
    std::vector<Ref<std::uint32_t>> refs;
    for (int i = 0; i < 20; ++i) refs.push_back(submit<&failing>(2));
    std::set<std::uint32_t> ranks;
    for (const auto& ref : refs) {
      try {
        get(ref);
        ADD_FAILURE() << "no exception";
      } catch (const TaskError& error) {
        EXPECT_EQ(error.failure().type, "std::domain_error");
        EXPECT_EQ(error.failure().text, "on rank " + std::to_string(error.failure().rank));
        EXPECT_THAT(error.failure().path, HasSubstr("the test's body > "));
        EXPECT_EQ(error.handler_ran(), HandlerRan::yes);
        ranks.insert(error.failure().rank);
      }
    }
    EXPECT_GT(ranks.size(), 1U);
  });
}

TEST(TasksOnRanks, ValuesAreReadWhereTheyAreNeeded) {
  spread(2, [](const Setting& setting) {
    for (const std::size_t size : {3UL, 600UL, 200'000UL}) {
      for (const auto& maker : setting.keepers) {
        const Ref<Numbers> made = maker.get<&Keeper::make>(size);
        const Ref<Numbers> by_task = maker.get<&Keeper::make_by_task>(size);
        const Ref<Text> text = maker.get<&Keeper::make_text>("abc");
        for (const auto& reader : setting.keepers) {
          EXPECT_EQ(reader.get<&Keeper::look>(made), expected_sum(size));
          EXPECT_EQ(reader.get<&Keeper::look>(by_task), expected_sum(size));
          EXPECT_EQ(reader.get<&Keeper::look_by_task>(made, text), 2 * expected_sum(size) + 3);
        }
        EXPECT_EQ(sum(get(made)), expected_sum(size));
        EXPECT_EQ(get(text).text, "abc");
        EXPECT_EQ(get(submit<&sum>(by_task)), expected_sum(size));
      }
    }
  });
}

TEST(TasksOnRanks, OutcomesOfOtherRanksAreWaitedFor) {
  spread(1, [](const Setting& setting) {
    const auto& far = setting.keepers.back();
    std::vector<Ref<int>> refs{far.get<&Keeper::make_failure>(3), put(4)};
    const auto done = wait(refs);
    ASSERT_EQ(done.size(), 2U);
    for (const auto& each : done) EXPECT_EQ(each.outcome(), each.ref() == refs[0] ? Outcome::failed : Outcome::ok);
    try {
      get(refs[0]);
      ADD_FAILURE() << "no exception";
    } catch (const TaskError& error) {
      EXPECT_EQ(error.failure().text, "no 3");
      EXPECT_EQ(error.failure().rank, setting.keepers.size() - 1);
    }
    get(far.get<&Keeper::make_nothing>());
    const Ref<Numbers> polled = far.get<&Keeper::make_by_task>(100UL);
    while (!polled.ready()) spend(1);
  });
}

TEST(TasksOnRanks, CallsTakeARefForItsValue) {
  spread(1, [](const Setting& setting) {
    for (const auto& keeper : setting.keepers) {
      const Ref<Numbers> here = submit<&numbers>(std::size_t{30});
      const Ref<Numbers> there = keeper.get<&Keeper::make_by_task>(std::size_t{40});
      EXPECT_EQ(keeper.get<&Keeper::look_at>(here), expected_sum(30));
      EXPECT_EQ(keeper.call<&Keeper::look_at>(there).get(), expected_sum(40));
      keeper.post<&Keeper::look_at>(there);
      EXPECT_EQ(keeper.try_call<&Keeper::look_at>(here)->get(), expected_sum(30));
      EXPECT_TRUE(throws<TaskError>([&] { keeper.get<&Keeper::look_at>(submit<&no_numbers>()); }));
    }
  });
}

TEST(TasksOnRanks, RefsGoRoundAndComeHome) {
  spread(2, [](const Setting& setting) {
    Ref<Numbers> ref = setting.keepers.back().get<&Keeper::make>(1000UL);
    const std::uint64_t id = ref.id();
    for (std::size_t hop = 0; hop < 40; ++hop) {  // a borrower gives a part of its weight: it must ask for more
      const auto& keeper = setting.keepers[hop % setting.keepers.size()];
      keeper.get<&Keeper::keep>(ref);
      ref = {};
      for (auto& back : keeper.get<&Keeper::give_all>()) ref = std::move(back);
      ASSERT_EQ(ref.id(), id);
    }
    EXPECT_EQ(sum(get(ref)), expected_sum(1000));
  });
}

TEST(TasksOnRanks, ABorrowerMaySendARefOnForEver) {
  run_on({.ranks = 3, .pool_threads = 2}, [](const Setting& setting) {
    const Ref<Numbers> ref = setting.keepers[1].get<&Keeper::make>(10UL);
    for (int i = 0; i < 20'000; ++i) setting.keepers[2].post<&Keeper::keep>(ref);
    EXPECT_EQ(setting.keepers[2].get<&Keeper::give_all>().size(), 20'000U);
    EXPECT_EQ(setting.keepers[2].get<&Keeper::look>(ref), expected_sum(10));
  });
}

// The values live on although nothing but a message knows them, and no longer.
TEST(TasksOnRanks, RefsUnderWayKeepTheirValues) {
  spread(2, [](const Setting& setting) {
    for (int i = 0; i < 20; ++i) {
      setting.keepers.back().get<&Keeper::keep>(put(numbers(50)));
      setting.keepers.front().get<&Keeper::keep>(setting.keepers.back().get<&Keeper::make>(50UL));
    }
    for (const auto& keeper : {setting.keepers.back(), setting.keepers.front()}) {
      for (const auto& ref : keeper.get<&Keeper::give_all>()) EXPECT_EQ(sum(get(ref)), expected_sum(50));
    }
  });
}

TEST(TasksOnRanks, WhatIsNotSentOrNotStartedGivesItsRefsBack) {
  spread(1, [](const Setting& setting) {
    const Ref<Numbers> ref = put(numbers(20));
    const auto& far = setting.keepers.back();
    auto busy = far.call<&Keeper::slowly>();
    auto late = far.with({.timeout = 5ms}).call<&Keeper::keep>(ref);
    auto cancelled = far.call<&Keeper::keep>(ref);
    cancelled.cancel();
    EXPECT_TRUE(throws<Timeout>([&] { late.get(); }));
    EXPECT_TRUE(throws<Cancelled>([&] { cancelled.get(); }));
    busy.get();
    EXPECT_TRUE(far.get<&Keeper::give_all>().empty());
  });
}

TEST(TasksOnRanks, ARefusedCallGivesItsRefsBack) {
  run_on({.ranks = 2, .pool_threads = 1, .options = {{"window-calls", "2"}}}, [](const Setting& setting) {
    const Ref<Numbers> ref = put(numbers(20));
    const auto& far = setting.keepers.back();
    auto busy = far.call<&Keeper::slowly>();
    int refused = 0;
    for (int i = 0; i < 10; ++i) refused += far.try_call<&Keeper::keep>(ref) ? 0 : 1;
    EXPECT_GT(refused, 0);
    busy.get();
    while (far.get<&Keeper::give_all>().size() + static_cast<std::size_t>(refused) < 10) spend(1);
  });
}

Numbers slow_numbers(std::size_t size) {
  spend(2);
  return numbers(size);
}
std::string slow_text(const Text& text, int number) {
  spend(1);
  return text.text + std::to_string(number);
}
double with_much(const Numbers& much, const Numbers& shared) { return sum(shared) + static_cast<double>(much.size()); }

TEST(TasksOnRanks, LargeResultsComeHome) {
  spread(1, [](const Setting&) {
    std::vector<Ref<Numbers>> refs;
    for (int i = 0; i < 12; ++i) refs.push_back(submit<&slow_numbers>(std::size_t{50'000}));
    for (const auto& ref : refs) EXPECT_EQ(sum(get(ref)), expected_sum(50'000));
  });
}

int failing_at_length(std::size_t size) { throw std::domain_error(std::string(size, 'x')); }

TEST(TasksOnRanks, LongTextsOfFailuresArriveWhole) {
  run_on({.ranks = 2, .pool_threads = 1}, [](const Setting& setting) {
    constexpr std::size_t size = 100'000;
    const Ref<int> failed = submit<&failing_at_length>(on({.on_rank = RankId(1)}), size);
    try {
      get(failed);
      ADD_FAILURE() << "no exception";
    } catch (const TaskError& error) {
      EXPECT_EQ(error.failure().text, std::string(size, 'x'));
    }
    EXPECT_TRUE(throws<RemoteError>([&] { setting.keepers.back().get<&Keeper::look_at_number>(failed); }));
  });
}

TEST(TasksOnRanks, AFailedValueOfAnyTypeIsToldToBorrowers) {
  spread(1, [](const Setting& setting) {
    const Ref<Numbers> failed = submit<&no_numbers>();
    EXPECT_TRUE(throws<RemoteError>([&] { setting.keepers.back().get<&Keeper::look>(failed); }));
  });
}

// Arguments whose encoding runs user code are not sent where messages are received; somebody else must do it.
TEST(TasksOnRanks, ArgumentsWithUserCodeAreSentToo) {
  spread(1, [](const Setting& setting) {
    const RankId last(static_cast<std::uint32_t>(setting.keepers.size() - 1));
    std::vector<Ref<std::string>> refs;
    for (int i = 0; i < 6; ++i) {
      refs.push_back(submit<&slow_text>(on({.named = {{"lamp", 1}}, .on_rank = last}), Text{"t"}, i));
    }
    for (int i = 0; i < 30; ++i) refs.push_back(submit<&slow_text>(Text{"t"}, i));
    EXPECT_EQ(get(refs[5]), "t5");
    get(std::move(refs));
  });
}

TEST(TasksOnRanks, UrgentTasksGoToIdleRanksToo) {
  spread(1, [](const Setting& setting) {
    std::vector<Ref<std::uint32_t>> refs;
    for (int i = 0; i < 40; ++i) refs.push_back(submit<&slow_rank>(on({.priority = 2}), 4));
    std::set<std::uint32_t> ranks;
    for (const auto& done : get(std::move(refs))) ranks.insert(done.value());
    EXPECT_EQ(ranks.size(), setting.keepers.size());
  });
}

// More than the window of a node takes, of tasks that ask for a value of the rank that sends them.
TEST(TasksOnRanks, AFullWindowHoldsNobodyUp) {
  run_on({.ranks = 2, .pool_threads = 1, .options = {{"window-bytes", "4MiB"}, {"window-calls", "32"}}},
         [](const Setting&) {
           const Ref<Numbers> shared = put(numbers(2'000));
           const Numbers much(20'000);
           std::vector<Ref<double>> refs;
           for (int i = 0; i < 200; ++i) refs.push_back(submit<&with_much>(on({.on_rank = RankId(1)}), much, shared));
           for (const auto& ref : refs) EXPECT_EQ(get(ref), expected_sum(2'000) + 20'000);
         });
}

TEST(TasksOnRanks, NodesMayKeepRefsToTheEnd) {
  for (const std::uint32_t ranks : {2U, 3U}) {
    Program program("kept");
    std::vector<Handle<Keeper>> keepers;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      keepers.push_back(program.with(on_rank(rank)).node<Keeper>("keeper" + std::to_string(rank)));
    }
    const auto result = testing::run(program, {.ranks = ranks, .options = {{"window-calls", "64"}}}, [&](Running&) {
      for (int i = 0; i < 2'000; ++i) keepers.back().get<&Keeper::keep>(put(Numbers(3)));
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  }
}

std::atomic<int> told{0};
int until_told(TaskContext& context, int) {
  while (!context.stop_requested()) spend(1);
  ++told;
  return 0;
}
int parent_of_many(int count) {
  for (int i = 0; i < count; ++i) submit<&until_told>(i);
  spend(30);
  return count;
}

TEST(TasksOnRanks, ChildrenOnOtherRanksAreCancelledToo) {
  spread(1, [](const Setting&) {
    told = 0;
    const Ref<int> parent = submit<&parent_of_many>(6);
    EXPECT_EQ(get(parent), 6);
    cancel(parent, {.children = true});  // and the program does not wait for them for ever
  });
}

std::uint64_t id_of(TaskContext& context, int) {
  spend(2);
  return context.id();
}

TEST(TasksOnRanks, Contract13_IdsDoNotDependOnTheRank) {
  std::set<std::vector<std::uint64_t>> all;
  const auto run = [&](const Setting&) {
    std::vector<Ref<std::uint64_t>> refs;
    for (int i = 0; i < 12; ++i) refs.push_back(submit<&id_of>(i));
    std::vector<std::uint64_t> ids;
    for (const auto& done : get(std::move(refs))) ids.push_back(done.value());
    all.insert(ids);
  };
  run_on({.ranks = 1, .pool_threads = 1}, run);
  spread(1, run, 10);
  EXPECT_EQ(all.size(), 1U);
}

TEST(TasksOnRanks, Contract8_AStopReachesTasksThatAreAway) {
  for (const std::uint32_t ranks : {2U, 3U}) {
    const auto limit = std::chrono::steady_clock::now() + 20s;
    Program program("stopped");
    struct Stopper {
      void run(Context& context) {
        for (int i = 0; i < 40; ++i) submit<&until_told>(i);
        spend(30);
        context.stop("enough");
      }
    };
    program.node<Stopper>("stopper");
    EXPECT_EQ(testing::run(program, {.ranks = ranks, .pool_threads = 1}).status, 0);
    EXPECT_LT(std::chrono::steady_clock::now(), limit);
  }
}

}  // namespace
}  // namespace slipway::test::on_ranks
