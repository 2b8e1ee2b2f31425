// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/seeded_scheduler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace slipway {
namespace {

using namespace std::chrono_literals;

// What three threads write that pause between the letters, and the scheduler's own digest.
struct Story {
  std::string text;
  std::uint64_t trace = 0;
  bool operator==(const Story&) const = default;
};

Story told_under(std::uint64_t seed) {
  SeededRun run(seed);
  Story story;
  {
    std::vector<seam::Thread> threads;
    for (const char letter : {'a', 'b', 'c'}) {
      threads.emplace_back(std::string("writer ") + letter, [&story, letter] {
        for (int i = 0; i < 10; ++i) {
          story.text += letter;
          seam::pause();
        }
      });
    }
  }
  story.trace = run.scheduler().trace();
  return story;
}

TEST(SeededScheduler, SameSeedSameInterleaving) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_EQ(told_under(seed), told_under(seed)) << "seed " << seed;
}

TEST(SeededScheduler, DifferentSeedsDifferentInterleavings) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 50; ++seed) texts.insert(told_under(seed).text);
  EXPECT_GT(texts.size(), 45U);
}

TEST(SeededScheduler, ChoosesEveryAlternative) {
  SeededRun run(1);
  std::set<std::size_t> chosen;
  for (int i = 0; i < 200; ++i) chosen.insert(seam::choose(5));
  EXPECT_EQ(chosen, (std::set<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(seam::choose(1), 0U);
}

TEST(SeededScheduler, TimeJumpsWhenAllSleep) {
  const auto real_start = std::chrono::steady_clock::now();
  SeededRun run(1);
  const seam::Time start = seam::now();
  std::vector<seam::Time> woke(2);
  {
    seam::Thread day("day",
                     [&] { seam::sleep_until(start + seam::Time{86'400} * 1'000'000'000), woke[0] = seam::now(); });
    seam::Thread hour("hour",
                      [&] { seam::sleep_until(start + seam::Time{3'600} * 1'000'000'000), woke[1] = seam::now(); });
  }
  EXPECT_GE(woke[0] - start, seam::Time{86'400} * 1'000'000'000);
  EXPECT_LT(woke[1], woke[0]);
  EXPECT_GE(woke[1] - start, seam::Time{3'600} * 1'000'000'000);
  EXPECT_LT(std::chrono::steady_clock::now() - real_start, 5s);
}

TEST(SeededScheduler, PollingLoopsWithLimitsEnd) {
  SeededRun run(1);
  const seam::Time deadline = seam::after(1ms);
  while (seam::now() < deadline) seam::pause();
  const seam::Time next = seam::after(10us);
  while (seam::now() < next) seam::relax();
}

TEST(SeededScheduler, WaitTellsTimeoutFromWake) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SeededRun run(seed, {.early_return_in = 0});
    seam::Word word{0};
    EXPECT_FALSE(seam::wait(word, 0, seam::after(1ms)));
    EXPECT_FALSE(seam::wait(word, 0, seam::now()));
    EXPECT_TRUE(seam::wait(word, 7));
    seam::Thread waker("waker", [&] {
      word.store(1);
      seam::wake(word);
    });
    EXPECT_TRUE(seam::wait(word, 0, seam::after(1h)));
    EXPECT_EQ(word.load(), 1U);
  }
}

TEST(SeededScheduler, WakesNoMoreThanAsked) {
  SeededRun run(3, {.early_return_in = 0});
  seam::Word word{0};
  int awake = 0;
  {
    std::vector<seam::Thread> sleepers;
    for (int i = 0; i < 4; ++i) {
      sleepers.emplace_back("sleeper", [&] {
        seam::wait(word, 0);
        ++awake;
      });
    }
    seam::sleep_until(seam::after(1ms));
    seam::wake(word, 2);
    seam::sleep_until(seam::after(1ms));
    EXPECT_EQ(awake, 2);
    seam::wake_all(word);
  }
  EXPECT_EQ(awake, 4);
}

TEST(SeededScheduler, SomeWaitsReturnEarly) {
  int early = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SeededRun run(seed);
    seam::Word word{0};
    early += seam::wait(word, 0, seam::after(1ms)) ? 1 : 0;
  }
  EXPECT_GT(early, 0);
  EXPECT_LT(early, 50);
}

TEST(SeededScheduler, DeadlockNamesAllThreads) {
  std::string report;
  std::atomic<bool> over{false};
  {
    SeededRun run(5, {.on_deadlock = [&](const std::string& text) {
                    report = text;
                    over = true;
                  }});
    seam::Word word{0};
    const auto wait_in_vain = [&] {
      while (!over) seam::wait(word, 0);
    };
    seam::Thread left("left hand", wait_in_vain);
    seam::Thread right("right hand", wait_in_vain);
  }
  EXPECT_NE(report.find("seed 5"), std::string::npos) << report;
  EXPECT_NE(report.find("left hand, waiting"), std::string::npos) << report;
  EXPECT_NE(report.find("right hand, waiting"), std::string::npos) << report;
  EXPECT_NE(report.find("main, waiting"), std::string::npos) << report;
}

TEST(SeededScheduler, ReportsWhoBlocksOutsideTheSeam) {
  std::atomic<int> reports{0};
  std::string report;
  SeededOptions options;
  options.blocked_after = 20ms;
  options.on_blocked = [&](const std::string& text) {
    if (reports++ == 0) report = text;
  };
  {
    SeededRun run(1, options);
    seam::Thread sleeper("hidden sleeper", [&] {
      const auto limit = std::chrono::steady_clock::now() + 10s;
      while (reports == 0 && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(5ms);
    });
  }
  EXPECT_NE(report.find("hidden sleeper"), std::string::npos) << report;
}

TEST(SeededSchedulerDeathTest, RefusesThreadsFromOutside) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        SeededRun run(1);
        std::thread outsider([] {
          seam::Word word{0};
          seam::wait(word, 0);
        });
        outsider.join();
      },
      "outside the seeded run");
}

// Planted bugs -------------------------------------------------------------------------------------------------------

constexpr std::uint64_t seeds = 1000;

// A lock whose users sleep. With the fault, an unlock between the look at the lock and the sleep wakes nobody.
class SleepingLock {
 public:
  explicit SleepingLock(bool faulty) : faulty_(faulty) {}

  void lock(const std::atomic<bool>& give_up) {
    while (!give_up) {
      std::uint32_t unlocked = 0;
      if (held_.compare_exchange_strong(unlocked, 1)) return;
      if (faulty_) seam::pause();
      ++sleepers_;
      seam::wait(faulty_ ? never_changes_ : held_, faulty_ ? 0 : 1);
      --sleepers_;
    }
  }

  void unlock() {
    held_ = 0;
    if (sleepers_ == 0) return;
    seam::wake_all(held_);
    seam::wake_all(never_changes_);
  }

 private:
  const bool faulty_;
  seam::Word held_{0};
  seam::Word never_changes_{0};  // so a sleep on it misses a wake that came before
  int sleepers_ = 0;
};

// Whether the run under this seed ended in a deadlock.
bool deadlocks(std::uint64_t seed, bool faulty) {
  std::atomic<bool> deadlock{false};
  SeededRun run(seed, {.early_return_in = 0, .on_deadlock = [&](const std::string&) { deadlock = true; }});
  SleepingLock lock(faulty);
  std::vector<seam::Thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back("user", [&] {
      for (int round = 0; round < 3; ++round) {
        lock.lock(deadlock);
        seam::pause();
        lock.unlock();
      }
    });
  }
  threads.clear();
  return deadlock;
}

TEST(SeededScheduler, FindsALostWakeUp) {
  std::uint64_t found = 0;
  std::uint64_t first = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    if (!deadlocks(seed, true)) continue;
    if (found++ == 0) first = seed;
  }
  EXPECT_GT(found, 10U);
  EXPECT_TRUE(deadlocks(first, true)) << "the failing seed does not replay";
}

TEST(SeededScheduler, PassesTheRightLock) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) ASSERT_FALSE(deadlocks(seed, false)) << "seed " << seed;
}

// Whether two threads met between looking at the flag and setting it.
bool both_inside(std::uint64_t seed) {
  SeededRun run(seed);
  bool taken = false;
  int inside = 0;
  bool met = false;
  {
    std::vector<seam::Thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back("user", [&] {
        while (taken) seam::pause();
        seam::pause();
        taken = true;
        met |= ++inside == 2;
        seam::pause();
        --inside;
        taken = false;
      });
    }
  }
  return met;
}

TEST(SeededScheduler, FindsBrokenMutualExclusion) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) found += both_inside(seed) ? 1 : 0;
  EXPECT_GT(found, 10);
  EXPECT_LT(found, static_cast<int>(seeds));
}

}  // namespace
}  // namespace slipway
