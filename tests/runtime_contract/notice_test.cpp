// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// What a program does when the end of its job is near.
#include <gmock/gmock.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::HasSubstr;

struct Record {
  std::atomic<int> saved{0};
  std::atomic<int> handlers{0};
  std::atomic<bool> overlapped{false};
  std::atomic<bool> time_was_told{false};
};

struct Store {
  Record* record;
  bool busy = false;
  Store(Context& context, Record* r) : record(r) {
    EXPECT_EQ(context.time_left(), std::nullopt);
    context.on_notice([this, &context](std::chrono::nanoseconds left) {
      const auto now_left = context.time_left();
      record->time_was_told = left > 0ns && left <= 2min && now_left && *now_left <= left;
      enter();
      ++record->saved;
    });
    context.on_notice([this](std::chrono::nanoseconds) {
      EXPECT_GT(record->saved.load(), 0) << "hooks run in the order in which they were given";
      ++record->saved;
    });
  }
  // A node is serial: its hooks are no exception.
  void enter() {
    if (busy) record->overlapped = true;
    busy = true;
    seam::sleep_until(seam::after(1ms));
    busy = false;
  }
  int add(int value) {
    enter();
    ++record->handlers;
    return value;
  }
};

struct Worker {
  Handle<Store> store;
  void run(Context& context) {
    for (int step = 1; !context.stop_requested(); ++step) store.get<&Store::add>(step);
  }
};

TEST(Notice, Contract9_HooksRunThenTheProgramStopsWith75) {
  everywhere([](const Conditions& setup) {
    Record record;
    Program program("notice");
    auto store = program.with(on_rank(other(setup))).node<Store>("store", &record);
    program.with(on_rank(0)).node<Worker>("worker", store);
    const auto result = testing::run(program, setup, [](Running& running) {
      running.sleep_for(20ms);
      running.give_notice();
      running.give_notice();  // as by a signal to each rank
      running.sleep_for(1s);
    });
    EXPECT_EQ(result.status, 75);
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(record.saved, 2) << "once each";
    EXPECT_GT(record.handlers, 0);
    EXPECT_FALSE(record.overlapped);
    EXPECT_TRUE(record.time_was_told);
  });
}

struct SlowStart {
  Record* record;
  SlowStart(Context& context, Record* r) : record(r) {
    context.on_notice([r](std::chrono::nanoseconds) { ++r->saved; });
    seam::sleep_until(seam::after(300ms));
  }
};

TEST(Notice, BeforeTheStartItWaitsForTheNodes) {
  everywhere(
      [](const Conditions& setup) {
        Record record;
        Program program("early");
        program.with(on_rank(other(setup))).node<SlowStart>("slow", &record);
        const auto result = testing::run(program, setup, [](Running& running) {
          running.give_notice();
          running.sleep_for(1s);
        });
        EXPECT_EQ(result.status, 75);
        EXPECT_EQ(record.saved, 1);
      },
      4);
}

struct BadHook {
  explicit BadHook(Context& context) {
    context.on_notice([](std::chrono::nanoseconds) { throw std::runtime_error("the disk is full"); });
  }
};

TEST(Notice, Contract9_AFailingHookIsAFailureOfItsNode) {
  everywhere(
      [](const Conditions& setup) {
        Program program("bad_hook");
        program.with(on_rank(other(setup))).node<BadHook>("saver");
        const auto result = testing::run(program, setup, [](Running& running) {
          running.give_notice();
          running.sleep_for(1s);
        });
        EXPECT_EQ(result.status, 1);
        EXPECT_THAT(result.failure, HasSubstr("saver"));
        EXPECT_THAT(result.failure, HasSubstr("the disk is full"));
      },
      4);
}

struct EndlessHook {
  explicit EndlessHook(Context& context) {
    context.on_notice([&context](std::chrono::nanoseconds) {
      while (!context.stop_requested()) seam::sleep_until(seam::after(5ms));
    });
  }
};

TEST(Notice, Contract8_AHookThatTakesTooLongDoesNotKeepTheProgram) {
  everywhere(
      [](const Conditions& given) {
        Conditions setup = given;
        setup.options = {{"notice-margin", "200ms"}};
        Program program("endless_hook");
        program.with(on_rank(other(setup))).node<EndlessHook>("saver");
        const auto result = testing::run(program, setup, [](Running& running) {
          running.give_notice();
          running.sleep_for(1s);
        });
        EXPECT_EQ(result.status, 75);
      },
      4);
}

struct Finishes {
  void run(Context& context) {
    while (!context.time_left() && !context.stop_requested()) seam::sleep_until(seam::after(1ms));
    context.progress(7);
  }
};

struct WaitsForTheEnd {
  explicit WaitsForTheEnd(Context& context) {
    context.on_notice([](std::chrono::nanoseconds) { seam::sleep_until(seam::after(1s)); });
  }
};

TEST(Notice, AProgramThatFinishesMeanwhileIsGood) {
  everywhere(
      [](const Conditions& setup) {
        Program program("finishes");
        program.with(on_rank(other(setup))).node<Finishes>("worker");
        program.with(on_rank(0)).node<WaitsForTheEnd>("slow_saver");
        const auto result = testing::run(program, setup, [](Running& running) {
          running.give_notice();
          running.sleep_for(20ms);
        });
        EXPECT_EQ(result.status, 0) << "all workers have returned before the hooks";
      },
      4);
}

}  // namespace
}  // namespace slipway::test
