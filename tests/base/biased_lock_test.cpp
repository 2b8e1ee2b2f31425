// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/biased_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace slipway::seam {
namespace {

// Two plain numbers that are equal whenever nobody is inside.
struct Guarded {
  BiasedLock lock;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  bool ever_unequal = false;

  void add(std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
      const BiasedLock::Guard guard(lock);
      ever_unequal = ever_unequal || first != second;
      ++first;
      ++second;
    }
  }
};

TEST(BiasedLock, FavoursWhoComesOftenUntilAnotherComes) {
  const bool may_favour = detail::can_fence_all_threads();  // not in every kernel, nor under the thread sanitizer
  Guarded guarded;
  guarded.add(BiasedLock::run_for_bias - 1);
  EXPECT_FALSE(guarded.lock.favours_this_thread());
  guarded.add(1);
  EXPECT_EQ(guarded.lock.favours_this_thread(), may_favour);
  std::thread([&guarded] {
    EXPECT_FALSE(guarded.lock.favours_this_thread());
    guarded.add(1);
  }).join();
  EXPECT_FALSE(guarded.lock.favours_this_thread());
  guarded.add(BiasedLock::run_for_bias);
  EXPECT_EQ(guarded.lock.favours_this_thread(), may_favour);
}

// More threads than seats, one after the other: the last ones do without.
TEST(BiasedLock, ManyThreadsHaveTheirTurn) {
  Guarded guarded;
  constexpr std::uint64_t threads = 12;
  std::vector<std::thread> running;
  std::atomic<std::uint64_t> turn{0};
  for (std::uint64_t each = 0; each < threads; ++each) {
    running.emplace_back([&guarded, &turn, each] {
      while (turn != each) std::this_thread::yield();
      guarded.add(2 * BiasedLock::run_for_bias);
      ++turn;
      while (turn != threads) std::this_thread::yield();  // alive, so that its mark is no other thread's
      guarded.add(100);
    });
  }
  for (auto& thread : running) thread.join();
  EXPECT_EQ(guarded.first, threads * (2 * BiasedLock::run_for_bias + 100));
  EXPECT_FALSE(guarded.ever_unequal);
}

TEST(BiasedLock, OneThreadAtATimeHoweverTheBiasMoves) {
  Guarded guarded;
  constexpr std::uint64_t bursts = 200;
  constexpr std::uint64_t burst = 2 * BiasedLock::run_for_bias;
  std::vector<std::thread> threads;
  for (int each = 0; each < 3; ++each) {
    threads.emplace_back([&guarded] {
      for (std::uint64_t i = 0; i < bursts; ++i) {
        guarded.add(burst);
        std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(guarded.first, 3 * bursts * burst);
  EXPECT_FALSE(guarded.ever_unequal);
}

// A favourite that comes all the time, and others that come now and then: each time the bias must be taken away.
TEST(BiasedLock, RareVisitorsOfAFavourite) {
  Guarded guarded;
  std::atomic<bool> stop{false};
  std::uint64_t by_favourite = 0;
  std::thread favourite([&] {
    while (!stop) {
      guarded.add(1'000);
      by_favourite += 1'000;
    }
  });
  constexpr std::uint64_t visits = 300;
  for (std::uint64_t i = 0; i < visits; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    guarded.add(1);
  }
  stop = true;
  favourite.join();
  EXPECT_EQ(guarded.first, by_favourite + visits);
  EXPECT_FALSE(guarded.ever_unequal);
}

}  // namespace
}  // namespace slipway::seam
