// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Tasks on the rank that submits them.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "run_body.hpp"

namespace slipway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int twice(int value) { return 2 * value; }
int sum(const std::vector<int>& values) { return std::accumulate(values.begin(), values.end(), 0); }
int add(int left, int right) { return left + right; }
std::string joined(const std::string& left, std::string right) { return left + right; }
std::tuple<int, std::string> both(int value) { return {value, std::to_string(value)}; }
int failing(int value) { throw std::domain_error("no " + std::to_string(value)); }
void nothing() {}

int fibonacci(int n) {
  if (n < 2) return n;
  const Ref<int> left = submit<&fibonacci>(n - 1);
  const Ref<int> right = submit<&fibonacci>(n - 2);
  return get(left) + get(right);
}
int slow(int milliseconds) {
  seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds)));
  return milliseconds;
}
struct Pair {
  int left = 0;
  int right = 0;
};
int product(const Pair& pair) { return pair.left * pair.right; }

// The same everywhere and under 100 seeds, with so many pool threads; the program ends well.
template <class Body>
void with_threads(std::uint32_t threads, Body&& body) {
  everywhere(
      [&](Conditions setup) {
        setup.pool_threads = threads;
        const auto result = run_body(setup, body);
        EXPECT_EQ(result.status, 0) << result.failure;
      },
      0);
}

TEST(Tasks, Contract12_RunWhenTheirRefsAreThere) {
  with_threads(2, [] {
    const Ref<int> one = put(1);
    const Ref<int> two = submit<&twice>(one);
    const Ref<int> five = submit<&add>(two, 3);
    EXPECT_EQ(get(five), 5);
    EXPECT_EQ(get(submit<&sum>(std::vector<Ref<int>>{one, two, five})), 8);
    EXPECT_EQ(get(submit<&joined>(put(std::string("a")), "b")), "ab");
    EXPECT_EQ(get(submit<&product>(std::tuple(five, two))), 10);
    EXPECT_EQ(get(submit<[](int value) { return value + 1; }>(five)), 6);
    get(submit<&nothing>());
    const auto [number, text] = submit<&both>(five);
    EXPECT_EQ(get(number), 5);
    EXPECT_EQ(get(text), "5");
  });
}

TEST(Tasks, Contract15_NestedGetNeedsNoThreadOfItsOwn) {
  with_threads(1, [] { EXPECT_EQ(get(submit<&fibonacci>(12)), 144); });
}

TEST(Tasks, Contract12_AFailedInputFailsTheTask) {
  with_threads(2, [] {
    const Ref<int> failed = submit<&failing>(7);
    const Ref<int> behind = submit<&twice>(submit<&twice>(failed));
    for (const auto& [ref, ran] : {std::pair(failed, HandlerRan::yes), std::pair(behind, HandlerRan::no)}) {
      try {
        get(ref);
        ADD_FAILURE() << "no exception";
      } catch (const TaskError& error) {
        EXPECT_EQ(error.failure().type, "std::domain_error");
        EXPECT_EQ(error.failure().text, "no 7");
        EXPECT_EQ(error.failure().rank, 0U);
        EXPECT_THAT(error.failure().path, HasSubstr("the test's body > "));
        EXPECT_THAT(error.failure().path, HasSubstr("failing"));
        EXPECT_EQ(error.handler_ran(), ran);
      }
    }
    auto all = get(std::vector<Ref<int>>{submit<&twice>(4), failed, submit<&twice>(5)});
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].value(), 8);
    EXPECT_EQ(all[1].outcome(), Outcome::failed);
    EXPECT_EQ(all[2].value(), 10);
  });
}

TEST(Tasks, Contract12_WaitGivesOutcomesInTheOrderInWhichTheyCome) {
  everywhere([](const Conditions& setup) {
    with_patience(setup, [&](int factor) {
      std::vector<int> order;
      bool in_time = true;
      const auto result = run_body(setup, [&] {
        std::vector<Ref<int>> refs;
        for (const int milliseconds : {40, 5}) refs.push_back(submit<&slow>(factor * milliseconds));
        WaitSet<int> waiting(std::move(refs));
        const auto first = waiting.wait({.count = 1});
        in_time = waiting.wait({.timeout = std::chrono::milliseconds(factor)}).empty();
        for (const auto& done : first) order.push_back(done.value() / factor);
        for (const auto& done : waiting.wait()) order.push_back(done.value() / factor);
        EXPECT_TRUE(waiting.empty());
        EXPECT_TRUE(waiting.wait().empty());
      });
      EXPECT_EQ(result.status, 0) << result.failure;
      EXPECT_EQ(order.size(), 2U);
      return in_time && order == std::vector{5, 40};
    });
  });
}

TEST(Tasks, Contract13_IdsFollowFromParentAndIndex) {
  std::vector<std::uint64_t> first;
  everywhere([&](const Conditions& setup) {
    std::vector<std::uint64_t> ids;
    run_body(setup, [&] {
      const Ref<int> one = put(1);
      const auto [number, text] = submit<&both>(one);
      ids = {one.id(), number.id(), text.id(), submit<&twice>(1).id()};
    });
    if (first.empty()) first = ids;
    EXPECT_EQ(ids, first);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  });
}

// Holds pool threads until the test lets them go.
std::atomic<bool> gate_open{false};
std::atomic<int> at_gate{0};
int behind_gate(int value) {
  ++at_gate;
  while (!gate_open) seam::sleep_until(seam::now() + 1'000'000);
  return value;
}
int until_stopped(TaskContext& context, int value) {
  while (!context.stop_requested()) seam::sleep_until(seam::now() + 1'000'000);
  return value;
}
std::atomic<int> children_ran{0};
int child(int value) {
  ++children_ran;
  return value;
}
int parent_of_many(TaskContext& context) {
  std::vector<Ref<int>> children;
  for (int i = 0; i < 20; ++i) children.push_back(submit<&until_stopped>(i));
  while (!context.stop_requested()) seam::sleep_until(seam::now() + 1'000'000);
  children.push_back(submit<&child>(1));
  return static_cast<int>(get(std::move(children)).size());
}

struct Doorman {
  int open(int value) { return behind_gate(value); }
};

TEST(Tasks, Contract18_ACallThatIsRefusedLeavesNoTraceInIds) {
  std::set<std::uint64_t> ids;
  everywhere([&](Conditions setup) {
    setup.options = {{"window-calls", "1"}};
    gate_open = false;
    Program program("tasks");
    program.node<NothingToDo>("nothing");
    const auto doorman = program.with(on_rank(other(setup))).node<Doorman>("doorman");
    testing::run(program, setup, [&](Running&) {
      auto admitted = doorman.call<&Doorman::open>(1);
      EXPECT_FALSE(doorman.try_call<&Doorman::open>(2).has_value());
      ids.insert(put(1).id());
      gate_open = true;
      EXPECT_EQ(admitted.get(), 1);
    });
  });
  EXPECT_EQ(ids.size(), 1U) << "inside a rank and between ranks";
}

TEST(Tasks, CancelledBeforeTheyBeginTheyNeverDo) {
  with_threads(1, [] {
    gate_open = false;
    const Ref<int> first = submit<&behind_gate>(1);
    const Ref<int> waits = submit<&twice>(first);
    const Ref<int> behind = submit<&twice>(waits);
    const auto [left, right] = submit<&both>(first);
    cancel(waits);
    cancel(left);
    EXPECT_TRUE(throws<Cancelled>([&] { get(waits); }));
    EXPECT_TRUE(throws<Cancelled>([&] { get(behind); })) << "a task behind one that was cancelled";
    EXPECT_TRUE(throws<Cancelled>([&] { get(right); })) << "the other result of the task";
    gate_open = true;
    EXPECT_EQ(get(first), 1);
    cancel(first);
    EXPECT_EQ(get(first), 1) << "cancelled too late";
  });
}

TEST(Tasks, CancelledWhileTheyRunTheyAreTold) {
  everywhere(
      [](Conditions setup) {
        setup.pool_threads = 3;
        children_ran = 0;
        const auto result = run_body(setup, [] {
          const Ref<int> running = submit<&until_stopped>(1);
          seam::sleep_until(seam::now() + 3'000'000);
          cancel(running);
          const auto done = wait(std::vector{running});
          ASSERT_EQ(done.size(), 1U);
          EXPECT_EQ(done[0].outcome(), Outcome::cancelled);

          const Ref<int> parent = submit<&parent_of_many>();
          seam::sleep_until(seam::now() + 3'000'000);
          cancel(parent, {.children = true});
          EXPECT_TRUE(throws<Cancelled>([&] { get(parent); }));
        });
        EXPECT_EQ(result.status, 0) << result.failure;
        EXPECT_EQ(children_ran, 0) << "submitted after the cancellation";
      },
      0);
}

std::string inner(TaskContext& context) { return context.path(); }
std::string outer(TaskContext& context, int value) {
  return std::to_string(value) + " " + std::to_string(context.id()) + " " + std::to_string(context.seed()) + " " +
         get(submit<&inner>());
}

TEST(Tasks, ContextKnowsWhatRuns) {
  std::vector<std::string> all;
  everywhere([&](const Conditions& setup) {
    std::string seen;
    run_body(setup, [&] { seen = get(submit<&outer>(on({.name = "outer"}), 1)); });
    EXPECT_THAT(seen, HasSubstr("the test's body > outer > "));
    all.push_back(seen);
  });
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 1U)
      << "ids, seeds and paths do not depend on the run";
}

std::atomic<int> runs{0};
void count() { ++runs; }
void submit_many() {
  for (int i = 0; i < 100; ++i) submit<&count>();
}
struct Submitter {
  void run() { submit_many(); }
};

TEST(Tasks, Contract8_WhatWasSubmittedIsRunBeforeTheEnd) {
  everywhere(
      [](const Conditions& setup) {
        runs = 0;
        Program program("tasks");
        program.node<Submitter>("submitter");
        EXPECT_EQ(testing::run(program, setup).status, 0);
        EXPECT_EQ(runs, 100);
      },
      0);
}

std::vector<int> order_of_runs;
int run_and_note(int value) {
  order_of_runs.push_back(value);
  return value;
}

TEST(Tasks, HigherPriorityGoesFirst) {
  const auto result = run_body({.pool_threads = 1}, [] {
    gate_open = false;
    order_of_runs.clear();
    const Ref<int> first = submit<&behind_gate>(0);
    seam::sleep_until(seam::now() + 3'000'000);  // it has the only thread
    std::vector<Ref<int>> refs;
    for (const int priority : {0, 2, 1, 2}) {
      const auto number = static_cast<int>(refs.size());
      refs.push_back(submit<&run_and_note>(on({.priority = static_cast<std::uint8_t>(priority)}), number));
    }
    gate_open = true;
    wait(std::move(refs));
    EXPECT_THAT(order_of_runs, ElementsAre(1, 3, 2, 0));
  });
  EXPECT_EQ(result.status, 0) << result.failure;
}

int pass_on(int value) { return value + 1; }

TEST(Tasks, Contract15_ALongChainNeedsNoStack) {
  for (const std::uint32_t threads : {1U, 2U}) {
    gate_open = false;
    run_body({.pool_threads = threads}, [&] {
      for (std::uint32_t i = 0; i < threads; ++i) submit<&behind_gate>(0);
      Ref<int> last = put(0);
      for (int i = 0; i < 100'000; ++i) last = submit<&pass_on>(last);
      EXPECT_EQ(get(last), 100'000);  // on this thread: the others are busy
      gate_open = true;
    });
  }
}

int nested_deep(int depth) { return depth == 0 ? 0 : 1 + get(submit<&nested_deep>(depth - 1)); }

// Far more than one stack has room for.
TEST(Tasks, Contract15_NestedGetMayBeVeryDeep) {
  for (const std::uint32_t threads : {1U, 2U}) {
    run_body({.pool_threads = threads}, [] { EXPECT_EQ(get(submit<&nested_deep>(20'000)), 20'000); });
  }
}

TEST(Tasks, WhoWaitsForOneThatIsCancelledIsTold) {
  everywhere(
      [](Conditions setup) {
        setup.pool_threads = 3;
        gate_open = false;
        at_gate = 0;
        Program program("tasks");
        program.node<NothingToDo>("nothing");
        testing::run(program, setup, [](Running&) {
          const Ref<int> slow_one = submit<&behind_gate>(1);
          while (at_gate == 0) seam::sleep_until(seam::now() + 1'000'000);  // else who waits for it runs it
          const Ref<int> waits = submit<&twice>(slow_one);
          const Ref<int> watcher = submit<[](const Ref<int>& of) {
            try {
              return get(of);
            } catch (const Cancelled&) {
              return -1;
            }
          }>(waits);
          seam::sleep_until(seam::now() + 3'000'000);
          cancel(waits);
          EXPECT_EQ(get(watcher), -1) << "what it needs still runs";
          gate_open = true;
        });
      },
      0);
}

int ready_ones(const std::vector<Ref<int>>& refs) {
  return static_cast<int>(std::count_if(refs.begin(), refs.end(), [](const auto& ref) { return ref.ready(); }));
}

TEST(Tasks, ParametersMayBeRefsThemselves) {
  everywhere([](Conditions setup) {
    setup.pool_threads = 2;
    gate_open = false;
    run_body(setup, [] {
      const Ref<int> late = submit<&behind_gate>(1);
      EXPECT_EQ(get(submit<&ready_ones>(std::vector{late, put(1), put(2)})), 2);
      gate_open = true;
    });
  });
}

struct CopyThrows {
  int value = 0;
  CopyThrows() = default;
  explicit CopyThrows(int of) : value(of) {}
  CopyThrows(const CopyThrows& other) : value(other.value) { throw std::bad_alloc(); }
  CopyThrows& operator=(const CopyThrows&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};
CopyThrows make_one(int value) { return CopyThrows(value); }

TEST(Tasks, AResultThatCannotBeTakenFailsTheTask) {
  run_body({}, [] {
    const auto done = wait(std::vector{submit<&make_one>(1)});
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].outcome(), Outcome::failed);
  });
}

struct SlowSubmitter {
  void run() {
    for (int i = 0; i < 20; ++i) submit<&slow>(20);
  }
};

TEST(Tasks, Contract8_TheLimitOfAStopIsNotForTasks) {
  for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(3)}) {
    Program program("tasks");
    program.node<SlowSubmitter>("submitter");
    const auto result = testing::run(program, {.seed = seed, .pool_threads = 1, .options = {{"stop-limit", "100ms"}}});
    EXPECT_EQ(result.status, 0) << result.failure;
  }
}

TEST(Tasks, Contract9_TheTimeLimitIsForTasksToo) {
  for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(3)}) {
    Program program("tasks");
    program.node<SlowSubmitter>("submitter");
    const auto result = testing::run(program, {.seed = seed, .pool_threads = 1, .options = {{"time-limit", "100ms"}}});
    EXPECT_EQ(result.status, 124) << result.failure;
  }
}

TEST(Tasks, Contract8_AStopDropsWhatHasNotBegun) {
  everywhere(
      [](Conditions setup) {
        setup.pool_threads = 1;
        runs = 0;
        const auto result = run_body(setup, [] {
          submit<&until_stopped>(1);
          seam::sleep_until(seam::now() + 3'000'000);  // it has the only thread, until the end of the body asks to stop
          submit_many();
        });
        EXPECT_EQ(result.status, 0) << result.failure;
        EXPECT_LT(runs, 100);
      },
      0);
}

struct NoExcuse {};
int throws_something(int value) { return value > 0 ? throw NoExcuse() : value; }

TEST(Tasks, WhatIsNoExceptionFailsTheTaskToo) {
  run_body({}, [] {
    try {
      get(submit<&throws_something>(1));
      ADD_FAILURE() << "no exception";
    } catch (const TaskError& error) {
      EXPECT_THAT(error.failure().type, HasSubstr("NoExcuse"));
    }
  });
}

TEST(Tasks, AnErrorThatNobodyLooksAtIsCounted) {
  Program program("tasks");
  program.node<NothingToDo>("nothing");
  testing::run(program, {}, [](Running& running) {
    get(submit<&twice>(1));
    submit<&failing>(1);
    wait(std::vector{submit<&twice>(submit<&failing>(2))})[0].error();
    for (int i = 0; i < 1000 && running.unobserved_errors() == 0; ++i) running.sleep_for(1ms);
    EXPECT_EQ(running.unobserved_errors(), 1U);
  });
}

TEST(Tasks, ALastRefGivesItsValueAway) {
  run_body({}, [] {
    Ref<std::vector<int>> ref = put(std::vector<int>(3, 1));
    const int* const data = get(ref).data();
    const std::vector<int> taken = get(std::move(ref));
    EXPECT_EQ(taken.data(), data);
  });
}

TEST(Tasks, RefsThatNameNothingAreRefused) {
  run_body({}, [] {
    EXPECT_THROW(get(Ref<int>()), UsageError);
    EXPECT_THROW(submit<&twice>(Ref<int>()), UsageError);
    EXPECT_THROW(wait(std::vector<Ref<int>>(1)), UsageError);
  });
  EXPECT_THROW(put(1), UsageError) << "no program runs";
}

}  // namespace
}  // namespace slipway::test
