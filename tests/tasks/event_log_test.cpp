// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/tasks/src/event_log.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <thread>

#include "slipway/base/error.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway::detail {
namespace {

using Kind = TaskEvent::Kind;

class EventLogs : public ::testing::Test {
 protected:
  void begin(std::uint32_t rate) { log_.begin(path(), {}, rate, 0); }
  TaskEvents written() const { return read_task_events(path()).value(); }
  std::filesystem::path path() const { return directory_.path() / "events"; }

  slipway::testing::TemporaryDirectory directory_;
  EventLog log_;
};

TEST_F(EventLogs, KeepNothingUntilTheyBegin) {
  EXPECT_FALSE(log_.is_on());
  EXPECT_EQ(log_.level_of(0), EventLog::unseen);
  log_.drain(0);
}

TEST_F(EventLogs, KeepEachThreadsEventsInOrder) {
  constexpr std::uint64_t each = 5'000;
  begin(100'000);
  const auto note = [this](std::uint64_t first) {
    for (std::uint64_t i = 0; i < each; ++i) log_.note({.task = first + i, .kind = Kind::started});
  };
  log_.note({.task = 0, .kind = Kind::started});  // it has a ring of its own before the other thread has ended
  std::thread other(note, 2 * each);
  note(1);
  for (int i = 0; i < 10; ++i) log_.drain(0);
  other.join();
  log_.drain(0);
  const TaskEvents read = written();
  EXPECT_EQ(read.lost, 0U);
  EXPECT_EQ(read.events.size(), 2 * each + 1);
  EXPECT_EQ(read.threads.size(), 2U);
  std::map<std::uint16_t, std::uint64_t> latest;
  for (const TaskEvent& event : read.events) {
    const auto [entry, is_first] = latest.try_emplace(event.thread, event.task);
    if (!is_first) {
      EXPECT_EQ(event.task, ++entry->second);
    }
  }
}

TEST_F(EventLogs, CountWhatFoundNoRoom) {
  begin(100'000);
  constexpr std::uint64_t many = 40'000;
  for (std::uint64_t i = 0; i < many; ++i) log_.note({.task = i});
  log_.drain(0);
  const TaskEvents read = written();
  EXPECT_GT(read.lost, 0U);
  EXPECT_EQ(read.events.size() + read.lost, many);
}

TEST_F(EventLogs, NamesComeBeforeWhoNeedsThem) {
  begin(1'000);
  EXPECT_EQ(log_.number_of("a"), log_.number_of("a"));
  EXPECT_NE(log_.number_of("a"), log_.number_of("b"));
  log_.note({.detail = log_.number_of("b")});
  log_.drain(0);
  EXPECT_EQ(written().names.at(written().events[0].detail), "b");
}

// However many tasks there are, what they stand for adds up, and the file holds few.
TEST_F(EventLogs, StandForAllTasks) {
  begin(10'000);
  for (const std::uint64_t tasks : {100ULL, 1'000ULL, 10'000ULL, 1'000'000ULL}) {
    log_.drain(0);  // a period begins
    std::uint64_t seen = 0;
    std::uint64_t stands_for = 0;
    for (std::uint64_t serial = 0; serial < tasks; ++serial) {
      const std::uint8_t level = log_.level_of(serial);
      if (level == EventLog::unseen) continue;
      ++seen;
      stands_for += std::uint64_t{1} << level;
    }
    EXPECT_NEAR(static_cast<double>(stands_for), static_cast<double>(tasks), 0.05 * static_cast<double>(tasks));
    EXPECT_LE(seen, 8'000U);
    if (tasks <= 500) {
      EXPECT_EQ(seen, tasks);
    }
  }
}

// One thread that does all: more events than its ring has room for, at first.
TEST_F(EventLogs, AreThinnedUntilRingsHoldThem) {
  begin(10'000);
  constexpr std::uint64_t a_period = 200'000;
  constexpr int periods = 40;
  std::uint64_t lost_at_half = 0;
  for (int period = 0; period < periods; ++period) {
    for (std::uint64_t i = 0; i < a_period; ++i) {
      const std::uint64_t serial = static_cast<std::uint64_t>(period) * a_period + i;
      const std::uint8_t level = log_.level_of(serial);
      if (level == EventLog::unseen) continue;
      log_.note({.task = serial, .kind = Kind::submitted, .value = level});
      log_.note({.task = serial, .kind = Kind::started});
      log_.note({.task = serial, .kind = Kind::ended});
    }
    log_.drain(static_cast<std::uint64_t>(period + 1) * a_period);
    if (period == periods / 2) lost_at_half = written().lost;
  }
  const TaskEvents read = written();
  EXPECT_EQ(read.lost, lost_at_half) << "nothing is lost any more";
  double stands_for = 0;
  double of_second_kind = 0;  // a loop that submits two functions in turns
  for (const TaskEvent& event : read.events) {
    if (event.kind != Kind::submitted || event.task < periods / 2 * a_period) continue;
    stands_for += static_cast<double>(std::uint64_t{1} << event.value);
    if (event.task % 2 == 1) of_second_kind += static_cast<double>(std::uint64_t{1} << event.value);
  }
  constexpr double tasks = static_cast<double>(periods / 2 * a_period);
  EXPECT_NEAR(stands_for, tasks, 0.05 * tasks);
  EXPECT_NEAR(of_second_kind, tasks / 2, 0.05 * tasks);
}

// Threads come and go: a ring is used again.
TEST_F(EventLogs, RingsOfEndedThreadsAreUsedAgain) {
  begin(10'000);
  for (std::uint64_t i = 0; i < 100; ++i) std::thread([&] { log_.note({.task = i}); }).join();
  log_.drain(0);
  EXPECT_EQ(written().events.size(), 100U);
  EXPECT_EQ(written().threads.size(), 1U);
}

TEST_F(EventLogs, AFailedWriteEndsThem) {
  for (const char* const place : {"/dev/full", "/no/such/place"}) {
    EventLog log;
    log.begin(place, {}, 10, 0);
    EXPECT_TRUE(log.is_on());
    log.note({.task = 1});
    EXPECT_THROW(log.drain(1), Error);
    EXPECT_FALSE(log.is_on());
    EXPECT_EQ(log.level_of(0), EventLog::unseen);
    log.note({.task = 2});
    log.drain(2);
  }
}

TEST_F(EventLogs, AProgramWithoutTasksMakesNoFile) {
  begin(10'000);
  log_.drain(0);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace slipway::detail
