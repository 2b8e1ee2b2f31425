// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Large results stay where they were made, and what needs them goes there.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "../../core/tasks/src/placement.hpp"
#include "../../core/tasks/src/readers.hpp"
#include "on_ranks.hpp"

namespace slipway::test::on_ranks {
namespace {

constexpr std::size_t many = 50'000;

Numbers more(const Numbers& values, double step) {
  Numbers all(values);
  for (double& each : all) each += step;
  return all;
}
Text long_text(std::size_t size) { return Text{std::string(size, 'x')}; }
std::size_t length(const Text& text) { return text.text.size(); }
std::tuple<Numbers, int, Text> several(std::size_t size) { return {numbers(size), 7, long_text(size)}; }
std::uint32_t rank_of_reader(const Numbers&) { return own_rank(); }
std::uint32_t rank_of_reader_of_two(const Numbers&, const Numbers&) { return own_rank(); }
double sum_of_all(const std::vector<Numbers>& all) {
  double total = 0;
  for (const auto& each : all) total += sum(each);
  return total;
}
double sum_of_ref(const Ref<Numbers>& ref) { return sum(get(ref)); }

On on_last(const Setting& setting) {
  return on({.on_rank = RankId(static_cast<std::uint32_t>(setting.keepers.size() - 1))});
}

TEST(StayingValues, AreFetchedByWhoLooksAtThem) {
  spread(2, [](const Setting& setting) {
    const Ref<Numbers> ref = submit<&numbers>(on_last(setting), many);
    ASSERT_TRUE(wait(std::vector{ref}).front().ok());
    EXPECT_EQ(ref.location().value(), setting.keepers.size() - 1);
    EXPECT_EQ(ref.rank().value(), 0U);
    for (const auto& keeper : setting.keepers) EXPECT_EQ(keeper.get<&Keeper::look>(ref), expected_sum(many));
    EXPECT_EQ(sum(get(ref)), expected_sum(many));
    EXPECT_EQ(ref.location().value(), 0U);
    EXPECT_EQ(setting.keepers.back().get<&Keeper::look_at>(ref), expected_sum(many));
  });
}

TEST(StayingValues, OfAllKindsComeHome) {
  spread(1, [](const Setting& setting) {
    const auto [array, number, text] = submit<&several>(on_last(setting), many);
    EXPECT_EQ(get(number), 7);
    EXPECT_EQ(get(text).text, std::string(many, 'x'));
    EXPECT_EQ(sum(get(array)), expected_sum(many));
    EXPECT_EQ(get(submit<&length>(submit<&long_text>(on_last(setting), many))), many);
    Ref<Numbers> given = submit<&numbers>(on_last(setting), many);
    EXPECT_EQ(sum(get(std::move(given))), expected_sum(many));
    std::vector<Ref<Numbers>> refs;
    for (std::uint32_t rank = 0; rank < setting.keepers.size(); ++rank) {
      refs.push_back(submit<&numbers>(on({.on_rank = RankId(rank)}), many + rank));
    }
    double expected = 0;
    for (std::uint32_t rank = 0; rank < setting.keepers.size(); ++rank) expected += expected_sum(many + rank);
    EXPECT_EQ(get(submit<&sum_of_all>(refs)), expected);
    EXPECT_EQ(get(submit<&sum_of_all>(on_last(setting), refs)), expected);
    EXPECT_EQ(get(submit<&sum_of_ref>(on_last(setting), refs.front())), expected_sum(many));
  });
}

// Nobody brings them anywhere: from step to step a task takes what the one before it made.
TEST(StayingValues, TasksGoToThem) {
  spread(1, [](const Setting& setting) {
    const std::uint32_t last = static_cast<std::uint32_t>(setting.keepers.size() - 1);
    Ref<Numbers> latest = submit<&numbers>(on_last(setting), many);
    ASSERT_TRUE(wait(std::vector{latest}).front().ok());
    EXPECT_EQ(get(submit<&rank_of_reader>(latest)), last);
    for (int step = 0; step < 5; ++step) latest = submit<&more>(latest, 1.0);
    EXPECT_EQ(get(submit<&rank_of_reader>(latest)), last);
    // More of what it needs is there than here.
    const Ref<Numbers> here = put(numbers(many / 4));
    EXPECT_EQ(get(submit<&rank_of_reader_of_two>(here, latest)), last);
    EXPECT_EQ(get(submit<&rank_of_reader>(on({.memory = 1000}), latest)), last);
    EXPECT_EQ(sum(get(latest)), expected_sum(many) + 5 * many);
    EXPECT_EQ(get(submit<&rank_of_reader>(latest)), 0U);  // it is here now
  });
}

// Each rank looks at once; the one that has the value gives it to two, which give it on.
TEST(StayingValues, GoToManyRanksByATree) {
  for (const std::uint32_t ranks : {3U, 6U, 12U}) {
    for (const std::uint32_t hosts : {1U, 2U}) {
      const Conditions setup{.ranks = ranks,
                             .pool_threads = 1,
                             .options = {{"stays-from", "1KiB"}, {"fake-hosts", std::to_string(hosts)}}};
      run_on(setup, [&](const Setting& setting) {
        for (const Ref<Numbers>& ref : {put(numbers(many)), setting.keepers.back().get<&Keeper::make>(many)}) {
          const auto given_before = setting.keepers.front().get<&Keeper::given>();
          for (const auto& keeper : setting.keepers) keeper.get<&Keeper::keep>(ref);  // what it has, it can give on
          std::vector<Future<double>> sums;
          for (const auto& keeper : setting.keepers) sums.push_back(keeper.call<&Keeper::look>(ref));
          for (auto& each : sums) EXPECT_EQ(each.get(), expected_sum(many));
          for (const auto& keeper : setting.keepers) keeper.get<&Keeper::give_all>();
          if (ref.rank().value() == 0) {
            EXPECT_LE(setting.keepers.front().get<&Keeper::given>() - given_before, 2U + (hosts - 1) * 2U);
          }
        }
      });
    }
  }
}

TEST(StayingValues, AReaderThatHasItNoMoreHoldsNobodyUp) {
  spread(Conditions{.pool_threads = 1, .options = {{"stays-from", "1KiB"}}}, [](const Setting& setting) {
    const Ref<Numbers> ref = put(numbers(many));
    for (int round = 0; round < 3; ++round) {
      for (const auto& keeper : setting.keepers) EXPECT_EQ(keeper.get<&Keeper::look>(ref), expected_sum(many));
    }
  });
}

TEST(StayingValues, ReadersAreTreesOfHosts) {
  using detail::Readers;
  Readers readers(HostId(0));
  const auto add = [&](std::uint32_t rank, std::uint32_t host) {
    const auto giver = readers.add(RankId(rank), HostId(host));
    return giver ? static_cast<int>(giver->value()) : -1;
  };
  EXPECT_EQ(add(1, 0), -1);
  EXPECT_EQ(add(2, 0), -1);
  EXPECT_EQ(add(3, 0), 1);
  EXPECT_EQ(add(4, 0), 1);
  EXPECT_EQ(add(5, 0), 2);
  EXPECT_EQ(add(1, 0), -1);   // once more: it has lost it
  EXPECT_EQ(add(10, 1), -1);  // the first of its host
  EXPECT_EQ(add(11, 1), 10);
  EXPECT_EQ(add(12, 1), 10);
  EXPECT_EQ(add(13, 1), 11);
  EXPECT_EQ(add(20, 2), -1);
  EXPECT_EQ(add(30, 3), 10);  // hosts are a tree as well
  EXPECT_EQ(add(31, 3), 30);
  EXPECT_EQ(add(40, 4), 10);
  EXPECT_EQ(add(50, 5), 20);
}

TEST(StayingValues, WhoCancelsAtAnyTimeLeavesNothingBehind) {
  spread(1, [](const Setting& setting) {
    const Ref<Numbers> ref = submit<&numbers>(on_last(setting), many);
    for (int i = 0; i < 20; ++i) {
      const Ref<double> reader = submit<&sum>(on({.on_rank = RankId(static_cast<std::uint32_t>(i % 2))}), ref);
      if (i % 3 == 0) spend(1);
      cancel(reader);
    }
    const Ref<Numbers> unwanted = submit<&numbers>(on_last(setting), many);
    spend(1);
    cancel(unwanted);
    EXPECT_EQ(sum(get(ref)), expected_sum(many));
  });
}

TEST(StayingValues, APlaceIsChosenByWaitsAndBytes) {
  using detail::choose_place;
  using detail::Input;
  using detail::Place;
  const RankId here(0);
  const RankId there(1);
  const std::vector<Input> inputs{{here, 1'000}, {there, 5'000}};
  const auto choose = [&](seam::Time wait_here, seam::Time wait_there, double speed) {
    return choose_place(std::vector<Place>{{here, wait_here}, {there, wait_there}}, inputs, speed);
  };
  EXPECT_EQ(choose(0, 0, 1), there);
  EXPECT_EQ(choose(0, 3'999, 1), there);
  EXPECT_EQ(choose(0, 4'000, 1), here);  // of equals the first
  EXPECT_EQ(choose(0, 1'000, 4), here);  // bringing it takes no longer
  EXPECT_EQ(choose(1'000, 4'500, 1), there);
}

}  // namespace
}  // namespace slipway::test::on_ranks
