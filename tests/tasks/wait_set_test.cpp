// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// What is waited for together.
#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "run_body.hpp"

namespace slipway::test::wait_sets {
namespace {

int twice(int value) { return 2 * value; }
int until_stopped(TaskContext& context, int value) {
  while (!context.stop_requested()) seam::sleep_until(seam::now() + 1'000'000);
  return value;
}

TEST(WaitSets, ReuseTheirPlaces) {
  run_body({}, [] {
    const detail::CompletionQueue::Owner queue(new detail::CompletionQueue);
    const Ref<int> ready = put(1);
    EXPECT_EQ(queue->watch(ready.object()), 0U);
    EXPECT_EQ(queue->watch(ready.object()), 1U);
    EXPECT_EQ(queue->next(seam::never), 0U);
    EXPECT_EQ(queue->watch(ready.object()), 0U) << "the place that was given out";
    EXPECT_EQ(queue->left(), 2U);
    WaitSet<int> waiting;
    int sum_of_all = 0;
    for (int i = 0; i < 1000; ++i) {
      waiting.add(submit<&twice>(i));
      if (waiting.left() > 3) sum_of_all += waiting.next()->value();
    }
    for (const auto& done : waiting.wait()) sum_of_all += done.value();
    EXPECT_EQ(sum_of_all, 999'000);
  });
}

// Who has enough cancels the rest.
TEST(WaitSets, GiveTheRefsThatAreLeft) {
  everywhere([](const Conditions& setup) {
    const auto result = run_body(setup, [] {
      WaitSet<int> waiting;
      waiting.add(submit<&twice>(1));
      const Ref<int> endless = submit<&until_stopped>(1);
      waiting.add(endless);
      ASSERT_EQ(waiting.wait({.count = 1})[0].value(), 2);
      const std::vector<Ref<int>> rest = waiting.refs();
      ASSERT_EQ(rest.size(), 1U);
      EXPECT_EQ(rest[0], endless);
      for (const auto& ref : rest) cancel(ref);
      EXPECT_EQ(waiting.wait()[0].outcome(), Outcome::cancelled);
      EXPECT_TRUE(waiting.refs().empty());
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

}  // namespace
}  // namespace slipway::test::wait_sets
