// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Tasks that throw, and are run again.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "run_body.hpp"
#include "slipway/tasks/task_system.hpp"

namespace slipway::test::retries {
namespace {

using ::testing::HasSubstr;

// Takes its arguments over before it fails.
std::string third_time(TaskContext& context, std::string word, std::vector<std::unique_ptr<int>> numbers,
                       const int& more) {
  const std::string taken = std::exchange(word, "");
  const std::vector<std::unique_ptr<int>> mine = std::move(numbers);
  if (context.attempt() < 3) throw std::domain_error("attempt " + std::to_string(context.attempt()));
  return taken + std::to_string(*mine.at(0) + more);
}
std::vector<std::unique_ptr<int>> numbers() {
  std::vector<std::unique_ptr<int>> made;
  made.push_back(std::make_unique<int>(40));
  return made;
}
int two() { return 2; }
Ref<int> pass_on(TaskContext& context, const Ref<int>& ref) {
  if (context.attempt() == 1) throw std::runtime_error("not yet");
  return ref;
}

TEST(Retries, Contract14_ATaskThatThrowsIsRunAgainWithItsArguments) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      for (const RankId rank : {RankId(), RankId(0), RankId(setup.ranks - 1)}) {
        const auto again = on({.on_rank = rank, .retry_exceptions = 2});
        EXPECT_EQ(get(submit<&third_time>(again, std::string("w"), numbers(), submit<&two>())), "w42");
      }
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

TEST(Retries, Contract14_TheLastFailureIsTold) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      for (const RankId rank : {RankId(), RankId(setup.ranks - 1)}) {
        const Ref<std::string> ref =
            submit<&third_time>(on({.on_rank = rank, .retry_exceptions = 1}), std::string("w"), numbers(), 1);
        try {
          get(ref);
          ADD_FAILURE() << "no exception";
        } catch (const TaskError& error) {
          EXPECT_EQ(error.failure().text, "attempt 2");
          EXPECT_EQ(error.failure().attempt, 2U);
          EXPECT_THAT(error.what(), HasSubstr("in attempt 2"));
        }
      }
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

TEST(Retries, RefsOfTheArgumentsAreCountedRightly) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      detail::TaskSystem& system = detail::TaskSystem::of_this_thread();
      {
        const Ref<int> value = put(5);
        for (const RankId rank : {RankId(), RankId(setup.ranks - 1)}) {
          const Ref<Ref<int>> passed = submit<&pass_on>(on({.on_rank = rank, .retry_exceptions = 3}), value);
          EXPECT_EQ(get(get(passed)), 5);
        }
      }
      const seam::Time limit = seam::after(std::chrono::seconds(20));
      while (system.lent_values() > 0 && seam::now() < limit) seam::sleep_until(seam::now() + 1'000'000);
      EXPECT_EQ(system.lent_values(), 0U);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

std::vector<double> other_values;
double sum_at_last(TaskContext& context, const std::vector<double>& values) {
  other_values = std::vector<double>(100'000, 7.0);  // where the values were, if they are gone
  if (context.attempt() < 3) throw std::runtime_error("not yet");
  return values.front() + values.back();
}

// A value that is pulled, and that nothing but the task's own ref keeps on its rank.
TEST(Retries, ABorrowedValueIsThereInEachAttempt) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      const Ref<std::vector<double>> large = put(std::vector<double>(100'000, 1.5));
      const auto there = on({.on_rank = RankId(setup.ranks - 1), .retry_exceptions = 2});
      EXPECT_EQ(get(submit<&sum_at_last>(there, large)), 3.0);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

std::uint64_t child(TaskContext& context) { return context.id(); }
std::atomic<std::uint64_t> child_of_first{0};
std::uint64_t parent(TaskContext& context) {
  const std::uint64_t id = get(submit<&child>());
  if (context.attempt() > 1) return id;
  child_of_first = id;
  throw std::runtime_error("once more");
}

TEST(Retries, Contract13_WhatAnAttemptSubmitsHasIdsOfItsOwn) {
  run_body({}, [] {
    const std::uint64_t id = get(submit<&parent>(on({.retry_exceptions = 1})));
    EXPECT_NE(id, child_of_first);
  });
}

std::atomic<int> attempts{0};
int fail_until_cancelled(TaskContext& context) {
  ++attempts;
  while (!context.stop_requested()) seam::sleep_until(seam::now() + 1'000'000);
  throw std::runtime_error("told to stop");
}

TEST(Retries, NobodyTriesWhatIsCancelled) {
  everywhere([](const Conditions& setup) {
    attempts = 0;
    const auto result = run_body(setup, [] {
      const Ref<int> ref = submit<&fail_until_cancelled>(on({.retry_exceptions = 5}));
      while (attempts == 0) seam::sleep_until(seam::now() + 1'000'000);
      cancel(ref);
      EXPECT_THROW(get(ref), Cancelled);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_EQ(attempts, 1);
  });
}

}  // namespace
}  // namespace slipway::test::retries
