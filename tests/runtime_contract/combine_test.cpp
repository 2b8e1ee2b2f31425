// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Futures made of futures: when_all, when_any, then.
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

struct Counter {
  int twice(int value) { return 2 * value; }
  std::string name() { return "counter"; }
  int fail(const std::string& text) { throw std::out_of_range(text); }
};

// Answers by asking back.
struct Mirror {
  Handle<Counter> counter;
  int twice(int value) { return counter.get<&Counter::twice>(value); }
};

TEST(Combine, AllComeInTheOrderOfTheFutures) {
  everywhere([](const Conditions& setup) {
    Program program("all");
    auto counter = program.with(on_rank(other(setup))).node<Counter>("counter");
    const auto result = testing::run(program, setup, [&](Running&) {
      std::vector<Future<int>> futures;
      for (int i = 0; i < 20; ++i) futures.push_back(counter.call<&Counter::twice>(i));
      const std::vector<int> values = when_all(std::move(futures)).get();
      for (int i = 0; i < 20; ++i) EXPECT_EQ(values.at(static_cast<std::size_t>(i)), 2 * i);
      const auto [number, name] = when_all(counter.call<&Counter::twice>(4), counter.call<&Counter::name>()).get();
      EXPECT_EQ(number, 8);
      EXPECT_EQ(name, "counter");
      EXPECT_THROW(when_all(counter.call<&Counter::twice>(4), counter.call<&Counter::fail>("no")).get(), RemoteError);
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Combine, AnyTellsWhichAndGivesAllBack) {
  everywhere([](const Conditions& setup) {
    Program program("any");
    auto counter = program.with(on_rank(other(setup))).node<Counter>("counter");
    const auto result = testing::run(program, setup, [&](Running&) {
      Promise<int> late;
      std::vector<Future<int>> futures;
      futures.push_back(late.future());
      futures.push_back(counter.call<&Counter::twice>(5));
      auto any = when_any(std::move(futures)).get();
      ASSERT_EQ(any.index, 1U);
      EXPECT_EQ(any.futures[1].get(), 10);
      EXPECT_FALSE(any.futures[0].wait_for(1ms));
      late.set(3);
      EXPECT_EQ(any.futures[0].get(), 3);
    });
    EXPECT_EQ(result.status, 0);
  });
}

// More parts than a call counts references.
TEST(Combine, HasNoLimitOfFutures) {
  constexpr std::size_t count = 70'000;
  Program program("many");
  program.node<Counter>("counter");
  const auto result = testing::run(program, {}, [&](Running&) {
    std::vector<Promise<std::size_t>> promises(count);
    const auto futures = [&promises] {
      std::vector<Future<std::size_t>> all;
      for (auto& promise : promises) all.push_back(promise.future());
      return all;
    };
    auto all = when_all(futures());
    for (std::size_t i = 0; i + 1 < count; ++i) promises[i].set(i);
    EXPECT_FALSE(all.ready());
    promises.back().set(count - 1);
    ASSERT_TRUE(all.ready());
    const auto values = all.get();
    ASSERT_EQ(values.size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], i);

    promises = std::vector<Promise<std::size_t>>(count);
    auto any = when_any(futures());
    promises[7].set(7U);
    auto first = any.get();
    EXPECT_EQ(first.index, 7U);
    for (std::size_t i = 0; i < count; ++i) promises[i].set(i);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(first.futures[i].get(), i);
  });
  EXPECT_EQ(result.status, 0);
}

// What `then` runs may wait, too, for what needs this rank's only pool thread.
TEST(Combine, ThenMayWaitForItsOwnRank) {
  everywhere([](Conditions setup) {
    setup.pool_threads = 1;
    Program program("then");
    auto counter = program.with(on_rank(0)).node<Counter>("counter");
    auto mirror = program.with(on_rank(other(setup))).node<Mirror>("mirror", counter);
    const auto result = testing::run(program, setup, [&](Running&) {
      auto sum =
          mirror.call<&Mirror::twice>(1).then([mirror](int value) { return value + mirror.get<&Mirror::twice>(10); });
      ASSERT_TRUE(sum.wait_for(20s));
      EXPECT_EQ(sum.get(), 22);
    });
    EXPECT_EQ(result.status, 0);
  });
}

}  // namespace
}  // namespace slipway::test
