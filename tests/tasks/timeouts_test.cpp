// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Tasks whose time is limited.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "run_body.hpp"

namespace slipway::test::timeouts {
namespace {

using namespace std::chrono_literals;

std::atomic<int> told_to_stop{0};
int until_stopped(TaskContext& context) {
  while (!context.stop_requested()) seam::sleep_until(seam::now() + 1'000'000);
  ++told_to_stop;
  return 1;
}
int twice(int value) { return 2 * value; }
std::atomic<bool> ran{false};
int note_run(int value) {
  ran = true;
  return value;
}
int slow(int value) {
  seam::sleep_until(seam::after(20ms));
  return value;
}

// The outcome of one whose time is over.
template <class T>
HandlerRan late(const Ref<T>& ref) {
  wait(std::vector{ref});  // `get` would run what it needs
  try {
    get(ref);
  } catch (const Timeout& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("had no outcome in time"));
    return error.handler_ran();
  }
  ADD_FAILURE() << "no Timeout";
  return HandlerRan::yes;
}

TEST(Timeouts, Contract12_ATaskThatIsLateHasTheOutcomeTimeoutAndIsToldToStop) {
  everywhere([](const Conditions& setup) {
    told_to_stop = 0;
    int may_have_begun = 0;  // on a busy machine not even that
    const auto result = run_body(setup, [&] {
      for (const RankId rank : {RankId(), RankId(setup.ranks - 1)}) {
        const seam::Time began = seam::now();
        const Ref<int> ref = submit<&until_stopped>(on({.on_rank = rank, .timeout = 20ms}));
        const Ref<int> next = submit<&twice>(ref);
        EXPECT_THAT(wait(std::vector{ref})[0].outcome(), Outcome::failed);
        EXPECT_GE(seam::now() - began, 20'000'000);
        const HandlerRan handler_ran = late(ref);
        EXPECT_EQ(late(next), handler_ran) << "the error of what it needs";
        if (handler_ran == HandlerRan::maybe) ++may_have_begun;
      }
    });
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_LE(told_to_stop, may_have_begun);
    if (setup.seed) {
      EXPECT_EQ(told_to_stop, 2);
    }
  });
}

TEST(Timeouts, ATaskThatHasNotBegunInTimeIsDropped) {
  everywhere([](Conditions setup) {
    setup.pool_threads = 1;
    ran = false;
    const auto result = run_body(setup, [] {
      const Ref<int> never = submit<&until_stopped>();
      const Ref<int> ref = submit<&note_run>(on({.timeout = 3ms}), never);
      EXPECT_EQ(late(ref), HandlerRan::no);
      cancel(never);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_FALSE(ran);
  });
}

TEST(Timeouts, ATaskInTimeIsLikeAnyOther) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      std::vector<Ref<int>> refs;
      for (int i = 0; i < 30; ++i) refs.push_back(submit<&twice>(on({.timeout = 1h}), i));
      for (int i = 0; i < 30; ++i) EXPECT_EQ(get(refs[static_cast<std::size_t>(i)]), 2 * i);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

// Either outcome, but one of them, and the program ends.
TEST(Timeouts, RaceWithTheEndOfTheTask) {
  everywhere(
      [](const Conditions& setup) {
        const auto result = run_body(setup, [&] {
          std::vector<Ref<int>> refs;
          for (int i = 0; i < 20; ++i) {
            refs.push_back(submit<&slow>(on({.timeout = std::chrono::milliseconds(15 + i)}), i));
          }
          int ok = 0;
          for (const auto& done : get(refs)) {
            if (done.ok()) ++ok;
          }
          EXPECT_LT(ok, 20);
        });
        EXPECT_EQ(result.status, 0) << result.failure;
      },
      30);
}

}  // namespace
}  // namespace slipway::test::timeouts
