// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// What is lost is made again.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "on_ranks.hpp"

namespace slipway::test::on_ranks {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t few = 300;

Conditions losing(const std::string& values, const std::string& tasks) {
  return {.pool_threads = 1, .options = {{"stays-from", "1"}, {"lose-values", values}, {"lose-tasks", tasks}}};
}
On on_other(const Setting& setting, std::size_t number, std::uint8_t max_retries = 255) {
  const std::size_t others = setting.keepers.size() - 1;
  return on({.on_rank = RankId(static_cast<std::uint32_t>(1 + number % others)), .max_retries = max_retries});
}

Numbers next_of(const Numbers& values) {
  Numbers next(values);
  for (double& each : next) each += 1;
  return next;
}
std::uint64_t seed_of(TaskContext& context, int) { return context.seed(); }
std::uint32_t attempt_of(TaskContext& context, int) { return context.attempt(); }
std::vector<std::uint64_t> seeds_of(TaskContext& context, std::size_t size) {
  return std::vector<std::uint64_t>(size, context.seed());
}
double with_children(std::size_t size) {
  return get(submit<&sum>(submit<&numbers>(size))) + get(submit<&sum>(submit<&numbers>(size)));
}

TEST(LostValues, Contract14_AreMadeAgain) {
  spread(losing("2", "0"), [](const Setting& setting) {
    for (std::size_t i = 0; i < 10; ++i) {
      const Ref<Numbers> ref = submit<&numbers>(on_other(setting, i), few);
      for (const auto& keeper : setting.keepers) EXPECT_EQ(keeper.get<&Keeper::look>(ref), expected_sum(few));
      EXPECT_EQ(sum(get(ref)), expected_sum(few));
    }
  });
}

// Nobody has a ref to what is in between: it is made again, by tasks whose inputs are made again before.
TEST(LostValues, Contract14_AreMadeAgainWithAllThatTheyNeed) {
  spread(losing("3", "0"), [](const Setting& setting) {
    Ref<Numbers> latest = submit<&numbers>(on_other(setting, 0), few);
    constexpr std::size_t steps = 12;
    for (std::size_t i = 0; i < steps; ++i) latest = submit<&next_of>(on_other(setting, i), latest);
    EXPECT_EQ(setting.keepers.back().get<&Keeper::look>(latest), expected_sum(few) + steps * few);
    EXPECT_EQ(sum(get(latest)), expected_sum(few) + steps * few);
  });
}

TEST(LostValues, Contract14_TasksThatAreLostAreRunAgain) {
  spread(losing("0", "3"), [](const Setting& setting) {
    std::uint32_t most = 0;
    for (int i = 0; i < 30; ++i) {
      const On where = on_other(setting, static_cast<std::size_t>(i));
      most = std::max(most, get(submit<&attempt_of>(where, i)));
      EXPECT_EQ(sum(get(submit<&numbers>(where, few))), expected_sum(few));
      EXPECT_EQ(get(submit<&with_children>(where, few)), 2 * expected_sum(few));
    }
    EXPECT_GT(most, 1U);
  });
}

TEST(LostValues, Contract14_OnlyAsOftenAsTheyMay) {
  spread(losing("0", "1"), [](const Setting& setting) {
    const Ref<std::uint32_t> task = submit<&attempt_of>(on_other(setting, 0, 2), 1);
    EXPECT_EQ(wait(std::vector{task}).front().outcome(), Outcome::lost);
    EXPECT_TRUE(throws<PeerLost>([&] { get(task); }));
  });
  spread(losing("1", "0"), [](const Setting& setting) {
    const Ref<Numbers> value = submit<&numbers>(on_other(setting, 0, 2), few);
    EXPECT_TRUE(wait(std::vector{value}).front().ok());
    try {
      get(value);
      ADD_FAILURE() << "no exception";
    } catch (const PeerLost& error) {
      EXPECT_THAT(error.what(), HasSubstr("numbers is lost, and may not be made once more (max_retries = 2)"));
    }
    EXPECT_TRUE(throws<PeerLost>([&] { get(submit<&sum>(value)); }));
    EXPECT_TRUE(throws<RemoteError>([&] { setting.keepers.back().get<&Keeper::look>(value); }));
  });
}

TEST(LostValues, SeedsStayTheSame) {
  std::set<std::uint64_t> all;
  for (const char* const lost : {"0", "2"}) {
    spread(
        losing(lost, lost),
        [&](const Setting& setting) {
          all.insert(get(submit<&seed_of>(on_other(setting, 0), 1)));
          const auto seeds = get(submit<&seeds_of>(on_other(setting, 0), few));
          all.insert(seeds.begin(), seeds.end());
        },
        10);
  }
  EXPECT_EQ(all.size(), 2U);
}

// A chain keeps a task for each step, and the value of none; it goes without a recursion.
TEST(LostValues, ALongChainKeepsNoValues) {
  run_on({.ranks = 2, .pool_threads = 1, .options = {{"stays-from", "1"}}}, [](const Setting& setting) {
    Ref<Numbers> latest = submit<&numbers>(on_other(setting, 0), few);
    constexpr std::size_t steps = 20'000;
    for (std::size_t i = 0; i < steps; ++i) {
      latest = submit<&next_of>(on_other(setting, 0), latest);
      if (i % 100 == 0) static_cast<void>(wait(std::vector{latest}));
    }
    static_cast<void>(wait(std::vector{latest}));
    for (int patience = 0; patience < 2000 && setting.keepers[1].get<&Keeper::lent>() > 3; ++patience) spend(1);
    EXPECT_LE(setting.keepers[1].get<&Keeper::lent>(), 3U);
    EXPECT_EQ(get(latest).front(), steps);
  });
}

}  // namespace
}  // namespace slipway::test::on_ranks
