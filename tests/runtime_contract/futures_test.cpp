// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// What futures offer, alone and several together.
#include <gmock/gmock.h>

#include <optional>
#include <stdexcept>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Clock {
  int after(int milliseconds) {
    seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds)));
    return milliseconds;
  }
  void nothing_after(int milliseconds) { after(milliseconds); }
  int fail_after(int milliseconds) { throw std::runtime_error("failed after " + std::to_string(after(milliseconds))); }
  std::string name(int value) { return "n" + std::to_string(value); }
};

struct ThreeClocks {
  explicit ThreeClocks(const Conditions& setup)
      : clocks(program.with(on_rank(other(setup))).group<Clock>("clock", 3)) {}
  Program program{"futures"};
  Group<Clock> clocks;
};

TEST(Futures, Contract1_WhenAllGivesAllInOrder) {
  everywhere([](const Conditions& setup) {
    ThreeClocks p(setup);
    const auto result = testing::run(p.program, setup, [&](Running&) {
      std::vector<Future<int>> futures;
      for (int i = 0; i < 3; ++i)
        futures.push_back(p.clocks[static_cast<std::size_t>(i)].call<&Clock::after>(30 - 10 * i));
      auto all = when_all(std::move(futures));
      EXPECT_THAT(all.get(), ElementsAre(30, 20, 10));
      EXPECT_TRUE(when_all(std::vector<Future<int>>()).get().empty());
      auto both = when_all(p.clocks[0].call<&Clock::after>(2), p.clocks[1].call<&Clock::name>(3));
      EXPECT_EQ(both.get(), std::tuple(2, std::string("n3")));

      std::vector<Future<int>> failing;
      failing.push_back(p.clocks[0].call<&Clock::after>(1));
      failing.push_back(p.clocks[1].call<&Clock::fail_after>(20));
      failing.push_back(p.clocks[2].call<&Clock::fail_after>(10));
      auto failed = when_all(std::move(failing));
      EXPECT_TRUE(failed.wait_for(10s));
      try {
        failed.get();
        ADD_FAILURE() << "no exception";
      } catch (const RemoteError& error) {
        EXPECT_EQ(error.failure().text, "failed after 20") << "the first by index, not by time";
      }
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Futures, Contract1_WhenAnyGivesTheFirstAndKeepsTheRest) {
  everywhere([](const Conditions& setup) {
    ThreeClocks p(setup);
    testing::run(p.program, setup, [&](Running&) {
      std::vector<Future<int>> futures;
      futures.push_back(p.clocks[0].call<&Clock::after>(200));
      futures.push_back(p.clocks[1].call<&Clock::fail_after>(1));
      auto any = when_any(std::move(futures)).get();
      ASSERT_EQ(any.futures.size(), 2U);
      ASSERT_TRUE(any.futures[any.index].ready());
      if (any.index == 1) {  // a failure is an outcome as well
        EXPECT_THROW(any.futures[1].get(), RemoteError);
        EXPECT_EQ(any.futures[0].get(), 200);
      } else {  // a loaded machine may start the second so late
        EXPECT_EQ(any.futures[0].get(), 200);
        EXPECT_THROW(any.futures[1].get(), RemoteError);
      }
      EXPECT_THROW((void)when_any(std::vector<Future<int>>()), UsageError);
    });
  });
}

TEST(Futures, Contract1_AsCompletedGivesEachOnceAsItComes) {
  everywhere([](const Conditions& setup) {
    ThreeClocks p(setup);
    testing::run(p.program, setup, [&](Running&) {
      std::vector<Future<int>> futures;
      futures.push_back(p.clocks[0].call<&Clock::after>(150));
      futures.push_back(p.clocks[1].call<&Clock::fail_after>(1));
      futures.push_back(p.clocks[2].call<&Clock::after>(50));
      auto completed = as_completed(std::move(futures));
      EXPECT_EQ(completed.left(), 3U);
      std::set<std::size_t> seen;
      while (auto done = completed.next()) {
        EXPECT_TRUE(done->future.ready());
        EXPECT_TRUE(seen.insert(done->index).second) << done->index << " came twice";
        if (done->index == 1) {
          EXPECT_THROW(done->get(), RemoteError);
        } else {
          EXPECT_EQ(done->get(), done->index == 0 ? 150 : 50);
        }
      }
      EXPECT_EQ(seen.size(), 3U);
      EXPECT_EQ(completed.left(), 0U);

      std::vector<Future<int>> slow;
      slow.push_back(p.clocks[0].call<&Clock::after>(500));
      auto waiting = as_completed(std::move(slow));
      if (setup.ranks > 1) {
        EXPECT_FALSE(waiting.next_for(5ms));
      }
      EXPECT_EQ(waiting.left(), 1U);
      auto last = waiting.next();
      ASSERT_TRUE(last);
      EXPECT_EQ(last->get(), 500);
    });
  });
}

TEST(Futures, Contract1_ThenPassesValuesAndErrorsOn) {
  everywhere([](const Conditions& setup) {
    ThreeClocks p(setup);
    const auto result = testing::run(p.program, setup, [&](Running&) {
      auto clock = p.clocks[0];
      auto text = clock.call<&Clock::after>(3)
                      .then([](int value) { return std::to_string(value); })
                      .then([](const std::string& value) { return value + "!"; });
      EXPECT_EQ(text.get(), "3!");
      std::atomic<int> told{0};
      clock.call<&Clock::after>(2).then([&told](int value) { told = value; }).get();
      EXPECT_EQ(told, 2);
      EXPECT_EQ(clock.call<&Clock::nothing_after>(1).then([] { return 9; }).get(), 9);
      std::atomic<bool> ran{false};
      auto failed = clock.call<&Clock::fail_after>(1).then([&ran](int value) {
        ran = true;
        return value;
      });
      EXPECT_THROW(failed.get(), RemoteError);
      EXPECT_FALSE(ran);
      auto thrown = clock.call<&Clock::after>(1).then([](int) -> int { throw std::out_of_range("in then"); });
      EXPECT_THROW(thrown.get(), std::out_of_range);
      // A continuation may call and wait: it runs on the pool.
      auto chained = clock.call<&Clock::after>(1).then(
          [other = p.clocks[1]](int value) { return other.get<&Clock::name>(value); });
      EXPECT_EQ(chained.get(), "n1");
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Futures, Contract1_WaitForReadyAndCancelOfFuturesMadeFromOthers) {
  everywhere([](const Conditions& setup) {
    ThreeClocks p(setup);
    testing::run(p.program, setup, [&](Running&) {
      auto both = when_all(p.clocks[0].call<&Clock::after>(100), p.clocks[1].call<&Clock::after>(1));
      if (setup.ranks > 1) {
        EXPECT_FALSE(both.wait_for(2ms));
        EXPECT_FALSE(both.ready());
      }
      EXPECT_TRUE(both.wait_for(10s));
      EXPECT_TRUE(both.ready());
      both.cancel();  // too late
      EXPECT_EQ(both.get(), std::tuple(100, 1));

      auto late = p.clocks[0].call<&Clock::after>(50).then([](int value) { return value; });
      late.cancel();
      EXPECT_TRUE(late.ready());
      EXPECT_THROW(late.get(), Cancelled);
      Promise<int> promise;
      auto promised = promise.future();
      promised.cancel();
      promise.set(1);
      EXPECT_THROW(promised.get(), Cancelled);

      Future<int> none;
      EXPECT_FALSE(none.ready());
      none.cancel();
      EXPECT_THROW(none.get(), UsageError);
      EXPECT_THROW((void)none.wait_for(1ms), UsageError);
      EXPECT_THROW((void)none.then([](int value) { return value; }), UsageError);
      const auto with_none = [&] {
        std::vector<Future<int>> futures;
        futures.push_back(p.clocks[0].call<&Clock::after>(1));
        futures.emplace_back();
        return futures;
      };
      EXPECT_THROW((void)when_all(with_none()), UsageError);
      EXPECT_THROW((void)when_all(p.clocks[0].call<&Clock::after>(1), Future<int>()), UsageError);
      EXPECT_THROW((void)when_any(with_none()), UsageError);
      EXPECT_THROW((void)as_completed(with_none()), UsageError);
    });
  });
}

// A handler that waits for a call that has not come yet.
struct Gate {
  Promise<std::string> opened;
  std::optional<Future<std::string>> passage = opened.future();
  Async<std::string> pass() {
    auto future = std::move(*passage);
    std::string word = co_await std::move(future);
    co_return word + "!";
  }
  void open(const std::string& word) { opened.set(word); }
  void break_down() { opened.fail(std::make_exception_ptr(std::runtime_error("broken"))); }
  void abandon() { [[maybe_unused]] const Promise<std::string> dropped = std::move(opened); }
};

TEST(Futures, Contract1_PromiseIsCompletedByAnotherCall) {
  everywhere([](const Conditions& setup) {
    Program program("gates");
    auto options = on_rank(other(setup));
    options.interleave = true;
    auto gates = program.with(options).group<Gate>("gate", 3);
    testing::run(program, setup, [&](Running& running) {
      auto passing = gates.call_all<&Gate::pass>();
      running.sleep_for(5ms);
      for (const auto& each : passing) EXPECT_FALSE(each.ready());
      gates[0].get<&Gate::open>("word");
      gates[1].get<&Gate::break_down>();
      gates[2].get<&Gate::abandon>();
      EXPECT_EQ(passing[0].get(), "word!");
      EXPECT_THAT([&] { passing[1].get(); }, ::testing::ThrowsMessage<RemoteError>(HasSubstr("broken")));
      EXPECT_THAT([&] { passing[2].get(); }, ::testing::ThrowsMessage<RemoteError>(HasSubstr("dropped")));
    });
  });
}

}  // namespace
}  // namespace slipway::test
