// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Contracts 7 to 11 and 18: how programs start, stop, fail and repeat. And the test kit itself.
#include <gmock/gmock.h>
#include <sys/types.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void pause_for(std::chrono::nanoseconds duration) { seam::sleep_until(seam::after(duration)); }

// What happened, in order, over all ranks of the process.
class Diary {
 public:
  void add(const std::string& line) {
    const std::lock_guard guard(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> lines() {
    const std::lock_guard guard(mutex_);
    return lines_;
  }
  std::size_t place(const std::string& line) {
    const auto all = lines();
    const auto found = std::find(all.begin(), all.end(), line);
    if (found == all.end()) ADD_FAILURE() << "'" << line << "' did not happen";
    return static_cast<std::size_t>(found - all.begin());
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

struct Service {
  Diary* diary;
  std::string name;
  Service(Context& context, Diary* d, int milliseconds) : diary(d), name(context.label()) {
    pause_for(std::chrono::milliseconds(milliseconds));
    diary->add("built " + name);
  }
  ~Service() { diary->add("destroyed " + name); }
  int answer(int value) { return value + 1; }
  void slow_post(int milliseconds) {
    pause_for(std::chrono::milliseconds(milliseconds));
    diary->add("posted to " + name);
  }
};

struct Task {
  Diary* diary;
  Handle<Service> service;
  int answer = 0;
  Task(Diary* d, Handle<Service> s) : diary(d), service(s), answer(s.get<&Service::answer>(41)) {
    diary->add("built task");
  }
  ~Task() { diary->add("destroyed task"); }
  void run(Context&) {
    diary->add("runs task");
    EXPECT_EQ(answer, 42);
    EXPECT_EQ(service.get<&Service::answer>(1), 2);
  }
};

TEST(Lifecycle, Contract7_NoRunBeforeAllAreBuiltAndConstructorsMayCall) {
  everywhere([](const Conditions& setup) {
    Diary diary;
    Program program("start");
    auto service = program.with(on_rank(other(setup))).node<Service>("service", &diary, 10);
    program.with(on_rank(0)).node<Task>("task", &diary, service);
    program.with(on_rank(other(setup))).node<Service>("late", &diary, 30);
    const auto result = testing::run(program, setup);
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_LT(diary.place("built service"), diary.place("built task"));
    EXPECT_LT(diary.place("built late"), diary.place("runs task"));
    EXPECT_LT(diary.place("destroyed task"), diary.place("destroyed service")) << "callers go before callees";
    EXPECT_EQ(diary.lines().size(), 7U);
  });
}

struct Asks {
  explicit Asks(Handle<Asks> next) { next.get<&Asks::value>(); }
  int value() { return 1; }
};

TEST(Lifecycle, Contract7_CycleOfConstructorsIsReported) {
  everywhere([](const Conditions& setup) {
    Program program("constructors");
    auto first = program.with(on_rank(0)).declare<Asks>("first");
    auto second = program.with(on_rank(other(setup))).node<Asks>("second", first);
    program.define(first, second);
    const auto result = testing::run(program, setup);
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.failure, HasSubstr("Deadlock"));
    EXPECT_THAT(result.failure, HasSubstr("first"));
    EXPECT_THAT(result.failure, HasSubstr("second"));
  }, 6);
}

struct Refuses {
  explicit Refuses(int) { throw std::invalid_argument("not today"); }
};

TEST(Lifecycle, Contract9_ConstructorFailureEndsTheProgram) {
  everywhere([](const Conditions& setup) {
    Diary diary;
    Program program("refuses");
    program.with(on_rank(0)).node<Service>("service", &diary, 0);
    program.with(on_rank(other(setup))).node<Refuses>("refuses", 1);
    bool called = false;
    const auto result = testing::run(program, setup, [&](Running&) { called = true; });
    EXPECT_FALSE(called);
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.clean);
    EXPECT_THAT(result.failure, HasSubstr("refuses"));
    EXPECT_THAT(result.failure, HasSubstr("not today"));
    EXPECT_THAT(result.failure, HasSubstr("std::invalid_argument"));
  }, 6);
}

struct Runs {
  std::function<void(Context&)> body;
  void run(Context& context) { body(context); }
};
// A std::function does not travel; it is made where the node is built.
auto doing(std::function<void(Context&)> body) {
  return deferred([body = std::move(body)] { return body; });
}

TEST(Lifecycle, Contract9_FailureOfRunEndsAllRanks) {
  everywhere([](const Conditions& setup) {
    Diary diary;
    Program program("fails");
    auto service = program.with(on_rank(0)).node<Service>("service", &diary, 0);
    program.with(on_rank(other(setup))).node<Runs>("fails", doing([](Context&) { throw std::runtime_error("broken"); }));
    program.with(on_rank(0)).node<Runs>("waits", doing([service](Context&) {
      for (int i = 0; i < 1'000'000; ++i) (void)service.get<&Service::answer>(i);
    }));
    const auto result = testing::run(program, setup);
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.clean);
    EXPECT_THAT(result.failure, HasSubstr("node fails"));
    EXPECT_THAT(result.failure, HasSubstr("broken"));
  }, 6);
}

TEST(Lifecycle, Contract9_FailureWhileCallsAreQueuedEverywhere) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.ranks = 2;
    Diary diary;
    Program program("queued");
    auto slow = program.with(on_rank(1)).node<Service>("slow", &diary, 0);
    auto near = program.with(on_rank(0)).node<Service>("near", &diary, 0);
    program.with(on_rank(0)).node<Runs>("fails", doing([slow, near](Context&) {
      for (int i = 0; i < 200; ++i) {
        slow.post<&Service::slow_post>(20);
        near.post<&Service::slow_post>(20);
      }
      throw std::runtime_error("broken");
    }));
    const auto result = testing::run(program, setup);
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.clean) << "what is queued is dropped, not run";
    EXPECT_THAT(result.failure, HasSubstr("broken"));
  }, 4);
}

TEST(Lifecycle, Contract8_StopEndsAllAndCallsDrain) {
  everywhere([](const Conditions& setup) {
    Diary diary;
    Program program("stops");
    auto service = program.with(on_rank(other(setup))).node<Service>("service", &diary, 0);
    program.with(on_rank(0)).node<Runs>("sleeps", doing([&diary](Context& context) {
      EXPECT_FALSE(context.sleep_for(1h));
      EXPECT_TRUE(context.stop_requested());
      diary.add("sleeper returned");
    }));
    program.with(on_rank(other(setup))).node<Runs>("stops", doing([service](Context& context) {
      service.post<&Service::slow_post>(30);
      context.stop("enough");
    }));
    const auto result = testing::run(program, setup);
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_LT(diary.place("posted to service"), diary.place("destroyed service"));
    EXPECT_LT(diary.place("sleeper returned"), diary.place("destroyed service"));
  });
}

struct Stuck {
  Promise<int> never;
  Async<int> wait_for_ever() {
    auto future = never.future();
    co_return co_await std::move(future);
  }
};

TEST(Lifecycle, Contract8_StopNowEndsWaitsInRun) {
  everywhere([](const Conditions& setup) {
    Program program("stops");
    auto options = on_rank(other(setup));
    options.interleave = true;
    auto stuck = program.with(options).node<Stuck>("stuck");
    std::atomic<bool> stopped = false;
    program.with(on_rank(0)).node<Runs>("waits", doing([stuck, &stopped](Context& context) {
      auto answer = stuck.call<&Stuck::wait_for_ever>();
      context.stop_now("enough");
      try {
        answer.get();
      } catch (const Stopped&) {
        stopped = true;
        throw;
      }
    }));
    Conditions quick = setup;
    quick.options = {{"stop-limit", "300ms"}};
    testing::run(program, quick);
    EXPECT_TRUE(stopped);
  }, 6);
}

TEST(Lifecycle, Contract8_StopFromAConstructor) {
  struct Stops {
    Diary* diary;
    Stops(Context& context, Diary* d) : diary(d) {
      context.stop("the constructor says so");
      pause_for(20ms);
      diary->add("built");
    }
    ~Stops() { diary->add("destroyed"); }
    void run(Context&) { diary->add("ran"); }
  };
  everywhere([](const Conditions& setup) {
    Diary diary;
    Program program("early");
    program.with(on_rank(other(setup))).node<Stops>("stops", &diary);
    const auto result = testing::run(program, setup);
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_THAT(diary.lines(), ElementsAre("built", "destroyed"));
  }, 6);
}

TEST(Lifecycle, Contract8_ThreadsOfNodesEndBeforeTheNode) {
  struct Threads {
    Diary* diary;
    Threads(Context& context, Diary* d, Handle<Service> service) : diary(d) {
      context.start_thread([this, &context, service] {
        while (context.sleep_for(1ms)) EXPECT_EQ(service.get<&Service::answer>(1), 2);
        pause_for(5ms);
        diary->add("thread ended");
      });
    }
    ~Threads() { diary->add("destroyed threads"); }
    int any() { return 1; }
  };
  everywhere([](const Conditions& setup) {
    Diary diary;
    Program program("threads");
    auto service = program.with(on_rank(other(setup))).node<Service>("service", &diary, 0);
    auto threads = program.with(on_rank(0)).node<Threads>("threads", &diary, service);
    const auto result = testing::run(program, setup, [&](Running& running) {
      running.sleep_for(10ms);
      EXPECT_EQ(threads.get<&Threads::any>(), 1);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_LT(diary.place("thread ended"), diary.place("destroyed threads"));
  });
}

TEST(Lifecycle, Contract8_AThreadThatIgnoresStopIsLimited) {
  struct Ignores {
    std::shared_ptr<std::atomic<bool>> leave = std::make_shared<std::atomic<bool>>(false);
    explicit Ignores(Context& context, Handle<Stuck> stuck) {
      context.start_thread([stuck] { (void)stuck.get<&Stuck::wait_for_ever>(); });
    }
    int any() { return 1; }
  };
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.options = {{"stop-limit", "200ms"}};
    Program program("ignores");
    auto options = on_rank(other(setup));
    options.interleave = true;
    auto stuck = program.with(options).node<Stuck>("stuck");
    program.with(on_rank(0)).node<Ignores>("ignores", stuck);
    const auto result = testing::run(program, setup, [](Running& running) { running.sleep_for(5ms); });
    EXPECT_TRUE(result.clean) << "its wait ends with Stopped after the limit";
  }, 4);
}

TEST(Lifecycle, Contract10_LongWaitsAreReported) {
  Diary diary;
  Program program("stall");
  auto service = program.with(on_rank(1)).node<Service>("service", &diary, 0);
  struct Waits {
    Handle<Service> service;
    int wait() {
      service.post<&Service::slow_post>(300);
      return service.get<&Service::answer>(1);
    }
  };
  auto waits = program.with(on_rank(0)).node<Waits>("waits", service);
  ::testing::internal::CaptureStderr();
  testing::run(program, {.ranks = 2, .options = {{"stall-after", "50ms"}}}, [&](Running&) {
    EXPECT_EQ(waits.get<&Waits::wait>(), 2);
  });
  const std::string report = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(report, HasSubstr("node 'waits' (rank 0) waits for call"));
  EXPECT_THAT(report, HasSubstr("on node 'service' (rank 1)"));
}

std::size_t entries_of(const char* directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

TEST(Lifecycle, Contract11_HundredRunsLeaveNothing) {
  Diary diary;
  Program program("again");
  auto service = program.with(on_rank(1)).node<Service>("service", &diary, 0);
  program.with(on_rank(0)).node<Runs>("runs", doing([service](Context&) {
    EXPECT_EQ(service.get<&Service::answer>(1), 2);
  }));
  testing::run(program, {.ranks = 2});
  const std::size_t threads = entries_of("/proc/self/task");
  const std::size_t files = entries_of("/proc/self/fd");
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(testing::run(program, {.ranks = 2}).status, 0);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(entries_of("/proc/self/task"), threads);
  EXPECT_EQ(entries_of("/proc/self/fd"), files);
}

TEST(Kit, Contract18_SameSeedSameRun) {
  struct Random {
    std::uint64_t state;
    explicit Random(Context& context) : state(context.seed()) {}
    std::uint64_t next() { return state = state * 6364136223846793005ULL + 1442695040888963407ULL; }
  };
  const auto run_once = [](std::uint64_t seed) {
    Program program("repeat");
    auto nodes = program.group<Random>("node", 4);
    std::vector<std::uint64_t> seen;
    const auto result = testing::run(program, {.ranks = 2, .seed = seed}, [&](Running&) {
      std::vector<Future<std::uint64_t>> futures;
      for (int round = 0; round < 5; ++round) {
        for (auto& each : nodes.call_all<&Random::next>()) futures.push_back(std::move(each));
      }
      for (auto& done : as_completed(std::move(futures))) {
        seen.push_back(done.index);
        seen.push_back(done.get());
      }
    });
    return std::pair(seen, result.trace);
  };
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto first = run_once(seed);
    const auto second = run_once(seed);
    EXPECT_EQ(first.first, second.first) << "seed " << seed;
    EXPECT_EQ(first.second, second.second) << "seed " << seed;
    traces.insert(first.second);
  }
  EXPECT_EQ(traces.size(), 5U);
}

struct Library {
  std::vector<std::string> books;
  std::size_t size() { return books.size(); }
};

TEST(Kit, Contract18_AProgramRunsAgainWithTheSameArguments) {
  Program program("again");
  auto library = program.node<Library>("library", std::vector<std::string>{"one", "two"});
  for (int i = 0; i < 3; ++i) {
    testing::run(program, {}, [&](Running&) { EXPECT_EQ(library.get<&Library::size>(), 2U); });
  }
}

TEST(Kit, BodyErrorsComeOut) {
  Program program("body");
  Diary diary;
  program.node<Service>("service", &diary, 0);
  EXPECT_THROW(testing::run(program, {}, [](Running&) { throw std::out_of_range("of the body"); }), std::out_of_range);
  EXPECT_EQ(diary.lines().back(), "destroyed service");
  EXPECT_THROW(testing::run(program, {.seed = 3}, [](Running&) { throw std::out_of_range("of the body"); }),
               std::out_of_range);
}

struct Learner {
  int steps = 0;
  void run() { steps = 1000; }
  int step() { return ++steps; }
  using slipway_interface = interface<&Learner::step>;
};

struct TakesTime {
  explicit TakesTime(Diary* diary) {
    pause_for(20ms);
    diary->add("built");
  }
  int answer() {
    pause_for(20ms);
    return 1;
  }
};

TEST(Lifecycle, LimitsOfZeroAreNone) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.options = {{"start-limit", "0"}, {"stall-after", "0"}, {"time-limit", "0"}};
    Diary diary;
    Program program("zero");
    auto node = program.with(on_rank(other(setup))).node<TakesTime>("node", &diary);
    ::testing::internal::CaptureStderr();
    const auto result = testing::run(program, setup, [&](Running&) { EXPECT_EQ(node.get<&TakesTime::answer>(), 1); });
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(result.status, 0) << result.failure;
  }, 4);
}

TEST(Kit, SuppressedWorkersAreCalledByHand) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.suppress_run = {"learner"};
    Program program("by_hand");
    auto learner = program.with(on_rank(other(setup))).node<Learner>("learner");
    const auto result = testing::run(program, setup, [&](Running&) {
      EXPECT_EQ(learner.get<&Learner::step>(), 1);
      EXPECT_EQ(learner.get<&Learner::step>(), 2);
    });
    EXPECT_EQ(result.status, 0);
    EXPECT_THROW(testing::run(program, setup), UsageError);
  }, 4);
}

TEST(Kit, MistakesInTheProgramAreUsageErrors) {
  Program program("mistake");
  Diary diary;
  (void)program.declare<Service>("never_defined");
  EXPECT_THROW(testing::run(program, {.ranks = 3}), UsageError);
  Program twice("twice");
  twice.node<Service>("same", &diary, 0);
  twice.node<Service>("same", &diary, 0);
  EXPECT_THROW(testing::run(twice, {.ranks = 2, .seed = 1}), UsageError);
}

TEST(Kit, NamedResourcesAndMemoryDecideWhereANodeGoes) {
  Diary diary;
  Program program("camera");
  program.with({.resources = {.memory = 1 << 20, .named = {{"camera", 1}}}}).node<Service>("films", &diary, 0);
  EXPECT_EQ(testing::run(program, {.ranks = 2, .options = {{"resources", "camera=1"}}}, [](Running&) {}).status, 0);
  EXPECT_THROW(testing::run(program, {.ranks = 2}, [](Running&) {}), UsageError) << "no rank has a camera";
  Program large("large");
  large.with({.resources = {.memory = std::uint64_t{1} << 60}}).node<Service>("hoards", &diary, 0);
  EXPECT_THROW(testing::run(large, {.ranks = 1}, [](Running&) {}), UsageError) << "no host has so much memory";
}

TEST(Kit, FailingSeedIsNamed) {
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(testing::for_each_seed(10, [](std::uint64_t seed) { return seed != 4; }));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("SLIPWAY_TEST_SEED=4"));
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(testing::for_each_seed(3, [](std::uint64_t) { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("SLIPWAY_TEST_SEED=1"));
}

}  // namespace
}  // namespace slipway::test
