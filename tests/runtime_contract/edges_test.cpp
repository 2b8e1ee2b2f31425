// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// The test kit: slow and broken edges.
#include <gmock/gmock.h>

#include <stdexcept>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Target {
  std::vector<int> seen;
  int note(int value) {
    seen.push_back(value);
    return value;
  }
  int note_text(int value, const std::string& text) { return note(value + static_cast<int>(text.size())); }
  std::vector<int> taken() { return std::exchange(seen, {}); }
};

struct Asker {
  Group<Target> targets;
  int ask(int index, int value) { return targets[static_cast<std::size_t>(index)].get<&Target::note>(value); }
  int ask_in_time(int value) { return targets[0].with({.timeout = 10ms}).get<&Target::note>(value); }
  void post(int first, int count) {
    for (int i = 0; i < count; ++i) targets[0].post<&Target::note>(first + i);
  }
  int ask_all(const std::string& text) {
    int sum = 0;
    for (auto& each : targets.call_all<&Target::note_text>(1, text)) sum += each.get();
    return sum;
  }
  Async<int> ask_later(int value) {
    auto answer = targets[0].call<&Target::note>(value);
    co_return co_await std::move(answer);
  }
};

struct Edges {
  explicit Edges(const Conditions& setup)
      : targets(program.with(on_rank(other(setup))).group<Target>("target", 2)),
        askers(program.with(on_rank(0)).group<Asker>("asker", 2, [this](int) { return std::tuple(targets); })) {}
  Program program{"edges"};
  Group<Target> targets;
  Group<Asker> askers;
};

template <class F>
std::chrono::nanoseconds time_of(F&& f) {
  const auto before = seam::now();
  f();
  return std::chrono::nanoseconds(seam::now() - before);
}

TEST(Kit, ASlowEdgeHoldsItsOwnCallsBack) {
  everywhere(
      [](const Conditions& setup) {
        Edges p(setup);
        const auto result = testing::run(p.program, setup, [&](Running& running) {
          running.delay_edge("asker/0", "target/0", 200ms);
          EXPECT_GE(time_of([&] { EXPECT_EQ((p.askers[0].get<&Asker::ask>(0, 1)), 1); }), 200ms);
          EXPECT_GE(time_of([&] { EXPECT_EQ(p.askers[0].get<&Asker::ask_later>(2), 2); }), 200ms);
          EXPECT_GE(time_of([&] { EXPECT_EQ(p.askers[0].get<&Asker::ask_all>("abc"), 8); }), 200ms);
          if (setup.seed) {  // real time may pass for other reasons
            EXPECT_LT(time_of([&] { EXPECT_EQ((p.askers[1].get<&Asker::ask>(0, 3)), 3); }), 200ms) << "another caller";
            EXPECT_LT(time_of([&] { EXPECT_EQ((p.askers[0].get<&Asker::ask>(1, 4)), 4); }), 200ms) << "another target";
          }
          EXPECT_THROW(p.askers[0].get<&Asker::ask_in_time>(5), RemoteError);  // its Timeout
          running.mend_edge("asker/0", "target/0");
          EXPECT_EQ((p.askers[0].get<&Asker::ask>(0, 6)), 6);
        });
        EXPECT_EQ(result.status, 0);
      },
      6);
}

TEST(Kit, ASlowEdgeKeepsTheOrder) {
  everywhere(
      [](const Conditions& setup) {
        Edges p(setup);
        testing::run(p.program, setup, [&](Running& running) {
          running.delay_edge("asker", "target", 60ms);
          p.askers[0].get<&Asker::post>(0, 3);
          running.delay_edge("asker", "target", 20ms);
          p.askers[0].get<&Asker::post>(3, 3);
          running.mend_edge("*", "*");
          p.askers[0].get<&Asker::post>(6, 3);
          p.askers[0].get<&Asker::ask>(0, 9);
          EXPECT_THAT(p.targets[0].get<&Target::taken>(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
        });
      },
      6);
}

TEST(Kit, ABrokenEdgeFailsCallsAndLosesPosts) {
  everywhere(
      [](const Conditions& setup) {
        Edges p(setup);
        const auto result = testing::run(p.program, setup, [&](Running& running) {
          running.fail_edge("asker/0", "target");
          EXPECT_THAT([&] { p.askers[0].get<&Asker::ask>(1, 1); },
                      ::testing::ThrowsMessage<RemoteError>(HasSubstr("broken the edge from 'asker/0' to 'target'")));
          p.askers[0].get<&Asker::post>(1, 5);
          EXPECT_EQ((p.askers[1].get<&Asker::ask>(0, 7)), 7) << "another caller";
          EXPECT_THAT(p.targets[0].get<&Target::taken>(), ElementsAre(7)) << "no handler ran for the others";
          running.fail_edge("*", "target/1", std::make_exception_ptr(std::domain_error("as the test wants")));
          EXPECT_THROW(p.targets[1].get<&Target::note>(1), std::domain_error)
              << "the body of the test is a caller, too";
          running.mend_edge("*", "target/1");
          EXPECT_EQ(p.targets[1].get<&Target::note>(2), 2);
          EXPECT_THROW(running.delay_edge("nobody", "target", 1ms), UsageError);
        });
        EXPECT_EQ(result.status, 0);
      },
      6);
}

struct Eager {
  int value;
  explicit Eager(Handle<Target> target) : value(target.get<&Target::note>(3)) {}
  int get() { return value; }
};

TEST(Kit, EdgesMayBeBrokenFromTheStartOn) {
  everywhere(
      [](const Conditions& given) {
        Conditions setup = given;
        Program program("eager");
        auto target = program.with(on_rank(other(setup))).node<Target>("target");
        auto eager = program.with(on_rank(0)).node<Eager>("eager", target);
        setup.edges = {{.from = "eager", .to = "target", .delay = 20ms}};
        EXPECT_EQ(testing::run(program, setup, [&](Running&) { EXPECT_EQ(eager.get<&Eager::get>(), 3); }).status, 0);
        setup.edges = {{.from = "eager", .to = "target", .fails = true}};
        const auto result =
            testing::run(program, setup, [](Running&) { ADD_FAILURE() << "the constructor has failed"; });
        EXPECT_EQ(result.status, 1);
        EXPECT_THAT(result.failure, HasSubstr("eager"));
        EXPECT_THAT(result.failure, HasSubstr("broken the edge"));
      },
      6);
}

struct Counter {
  std::atomic<int>* count;
  void add() { ++*count; }
  void fail() { throw std::runtime_error("the counter is broken"); }
};

TEST(Kit, AStopWaitsForWhatASlowEdgeHolds) {
  everywhere(
      [](const Conditions& setup) {
        std::atomic<int> count{0};
        Program program("held");
        auto counter = program.with(on_rank(other(setup))).node<Counter>("counter", &count);
        const auto result = testing::run(program, setup, [&](Running& running) {
          running.delay_edge("*", "counter", 100ms);
          counter.post<&Counter::add>();
        });
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(count, 1);
      },
      6);
}

TEST(Kit, AFailedProgramDropsWhatASlowEdgeHolds) {
  everywhere(
      [](const Conditions& setup) {
        std::atomic<int> count{0};
        Program program("held");
        auto counters =
            program.with(on_rank(other(setup))).group<Counter>("counter", 2, [&](int) { return std::tuple(&count); });
        const auto result = testing::run(program, setup, [&](Running& running) {
          running.delay_edge("*", "counter/0", 1h);
          auto held = counters[0].call<&Counter::add>();
          counters[1].post<&Counter::fail>();
          EXPECT_THROW(held.get(), Stopped);
        });
        EXPECT_EQ(result.status, 1);
        EXPECT_THAT(result.failure, HasSubstr("the counter is broken"));
        EXPECT_EQ(count, 0);
      },
      6);
}

}  // namespace
}  // namespace slipway::test
