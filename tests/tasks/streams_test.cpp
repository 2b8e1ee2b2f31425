// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Tasks that give away many values, one after the other.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "on_ranks.hpp"

namespace slipway::test::on_ranks {
namespace {

using ::testing::HasSubstr;

std::atomic<int> yielded{0};
std::atomic<bool> stream_left{false};

void count_to(Yield<int>& yield, int end) {
  for (int i = 0; i < end; ++i) {
    yield(i);
    ++yielded;
  }
}
void count_for_ever(Yield<int>& yield, int start) {
  struct Leaving {
    ~Leaving() { stream_left = true; }
  };
  const Leaving leaving;
  for (int i = start;; ++i) yield(i);
}
void count_and_fail(Yield<int>& yield, int end) {
  for (int i = 0; i < end; ++i) yield(i);
  throw std::domain_error("no more than " + std::to_string(end));
}
void arrays(Yield<Numbers>& yield, const std::vector<std::size_t>& sizes) {
  for (const std::size_t size : sizes) yield(numbers(size));
}
void texts(Yield<Text>& yield, const Text& text) {
  for (std::size_t i = 0; i <= text.text.size(); ++i) yield(Text{text.text.substr(0, i)});
}
void slow_count(Yield<int>& yield, int end) {
  for (int i = 0; i < end; ++i) {
    spend(1);
    yield(i);
  }
}
int doubled(int value) { return 2 * value; }

On on_last_rank(const Setting& setting) {
  return on({.on_rank = RankId(static_cast<std::uint32_t>(setting.keepers.size() - 1))});
}
template <class F>
void on_each_rank(const Setting& setting, F&& f) {
  f(on({}));
  f(on_last_rank(setting));
}

TEST(Streams, GiveAllValuesInTheirOrder) {
  spread(1, [](const Setting& setting) {
    on_each_rank(setting, [](const On& where) {
      for (const std::uint32_t ahead : {1U, 4U, 1000U}) {
        auto counted = stream<&count_to>(StreamOptions{.ahead = ahead, .on = where}, 50);
        for (int i = 0; i < 50; ++i) EXPECT_EQ(get(*counted.next()), i);
        EXPECT_FALSE(counted.next());
        EXPECT_FALSE(counted.next());
        get(counted.task());
      }
      EXPECT_FALSE(stream<&count_to>(where, 0).next());
    });
  });
}

TEST(Streams, OfAllKindsOfValues) {
  spread(1, [](const Setting& setting) {
    on_each_rank(setting, [](const On& where) {
      const std::vector<std::size_t> sizes{0, 3, 700, 30'000};
      auto all = stream<&arrays>(where, sizes);
      for (const std::size_t size : sizes) EXPECT_EQ(sum(get(*all.next())), expected_sum(size));
      EXPECT_FALSE(all.next());
      auto words = stream<&texts>(where, put(Text{"abc"}));
      for (const char* const word : {"", "a", "ab", "abc"}) EXPECT_EQ(get(*words.next()).text, word);
      EXPECT_FALSE(words.next());
    });
  });
}

// Refs to what is still to come go wherever refs go.
TEST(Streams, AreWaitedForLikeAnyRef) {
  spread(1, [](const Setting& setting) {
    on_each_rank(setting, [](const On& where) {
      auto counted = stream<&slow_count>(where, 6);
      WaitSet<int> waiting;
      std::vector<Ref<int>> twice;
      for (int i = 0; i < 3; ++i) waiting.add(counted.ahead());
      for (int i = 3; i < 6; ++i) twice.push_back(submit<&doubled>(counted.ahead()));
      const Ref<int> beyond = counted.ahead();
      int total = 0;
      for (const auto& done : waiting.wait()) total += done.value();
      EXPECT_EQ(total, 3);
      for (int i = 3; i < 6; ++i) EXPECT_EQ(get(twice[static_cast<std::size_t>(i - 3)]), 2 * i);
      EXPECT_EQ(wait(std::vector{beyond}).front().outcome(), Outcome::cancelled);
      EXPECT_TRUE(throws<StreamEnd>([&] { get(beyond); }));
      EXPECT_TRUE(throws<Cancelled>([&] { get(submit<&doubled>(beyond)); }));
    });
  });
}

TEST(Streams, HoldUpWhoIsFarAhead) {
  spread(1, [](const Setting& setting) {
    on_each_rank(setting, [](const On& where) {
      yielded = 0;
      auto counted = stream<&count_to>(StreamOptions{.ahead = 3, .on = where}, 100);
      for (int i = 0; i < 100; ++i) {
        if (i % 20 == 0) spend(3);
        EXPECT_LE(yielded, i + 2 * 3 + 1);
        EXPECT_EQ(get(*counted.next()), i);
      }
    });
  });
}

TEST(Streams, EndWithTheFailureOfTheirTask) {
  spread(1, [](const Setting& setting) {
    on_each_rank(setting, [](const On& where) {
      auto counted = stream<&count_and_fail>(where, 3);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(get(*counted.next()), i);
      try {
        counted.next();
        ADD_FAILURE() << "no exception";
      } catch (const TaskError& error) {
        EXPECT_EQ(error.failure().text, "no more than 3");
        EXPECT_THAT(error.failure().path, HasSubstr("count_and_fail"));
      }
    });
  });
}

TEST(Streams, StopWhenNobodyWantsThem) {
  spread(1, [](const Setting& setting) {
    on_each_rank(setting, [](const On& where) {
      for (const int taken : {0, 1, 30}) {
        stream_left = false;
        {
          auto endless = stream<&count_for_ever>(where, 5);
          for (int i = 0; i < taken; ++i) EXPECT_EQ(get(*endless.next()), 5 + i);
          if (taken == 0) static_cast<void>(wait(std::vector{endless.ahead()}));
        }
        while (!stream_left) spend(1);
      }
    });
  });
}

TEST(Streams, OneThatNamesNothingIsRefused) {
  Stream<int> none;
  EXPECT_TRUE(throws<UsageError>([&] { none.next(); }));
}

}  // namespace
}  // namespace slipway::test::on_ranks
