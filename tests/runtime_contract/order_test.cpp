// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Contract 2: order and admission. Contract 4: windows.
#include <gmock/gmock.h>

#include <mutex>
#include <numeric>
#include <thread>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::HasSubstr;

void pause_for(std::chrono::nanoseconds duration) { seam::sleep_until(seam::after(duration)); }

// Notes what runs at once, and in which order.
struct Recorder {
  std::vector<int> seen;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};

  struct Inside {
    Recorder& recorder;
    explicit Inside(Recorder& r) : recorder(r) {
      const int now = ++recorder.inside;
      int most = recorder.most;
      while (now > most && !recorder.most.compare_exchange_weak(most, now)) {
      }
    }
    ~Inside() { --recorder.inside; }
  };
  void note(int value) {
    const Inside inside_now(*this);
    seen.push_back(value);
  }
  void note_large(int value, const std::vector<double>& data) {
    const Inside inside_now(*this);
    for (const double each : data) {
      if (each != value) seen.push_back(-1);
    }
    seen.push_back(value);
  }
  void note_string(int value, const std::string& data) {
    const Inside inside_now(*this);
    if (!data.empty() && data.back() != static_cast<char>('a' + value % 26)) seen.push_back(-2);
    seen.push_back(value);
  }
  int dwell(int milliseconds) {
    const Inside inside_now(*this);
    pause_for(std::chrono::milliseconds(milliseconds));
    return most;
  }
  std::vector<int> taken() { return std::exchange(seen, {}); }
  int most_at_once() { return most; }
};

std::vector<int> count_up(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Order, Contract2_SmallAndLargeArriveAsSent) {
  everywhere([](const Conditions& setup) {
    Program program("order");
    auto recorder = program.with(on_rank(other(setup))).node<Recorder>("recorder");
    const auto result = testing::run(program, setup, [&](Running&) {
      constexpr int count = 40;
      for (int i = 0; i < count; ++i) {
        switch (i % 5) {
          case 1:
            recorder.post<&Recorder::note_large>(i, std::vector<double>(1'000, i));  // 8 KB
            break;
          case 2:
            recorder.post<&Recorder::note_string>(i, std::string(40'000, static_cast<char>('a' + i % 26)));
            break;
          case 3:
            if (i % 10 == 3) {
              recorder.post<&Recorder::note_large>(i, std::vector<double>(200'000, i));  // 1.6 MB
              break;
            }
            [[fallthrough]];
          default:
            recorder.post<&Recorder::note>(i);
        }
      }
      EXPECT_EQ(recorder.get<&Recorder::taken>(), count_up(count));
      EXPECT_EQ(recorder.get<&Recorder::most_at_once>(), 1);
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Order, Contract2_OrderHoldsOnASlowEdge) {
  testing::for_each_seed(10, [&](std::uint64_t seed) {
    Program program("order");
    auto recorder = program.with(on_rank(1)).node<Recorder>("recorder");
    testing::run(program, {.ranks = 2, .seed = seed}, [&](Running& running) {
      for (int i = 0; i < 30; ++i) {
        if (i == 10) running.delay(0, 1, 5ms);
        if (i == 20) running.delay(0, 1, 0ms);
        if (i % 3 == 0) {
          recorder.post<&Recorder::note_large>(i, std::vector<double>(3'000, i));
        } else {
          recorder.post<&Recorder::note>(i);
        }
      }
      EXPECT_EQ(recorder.get<&Recorder::taken>(), count_up(30));
    });
    return !HasFailure();
  });
}

struct Sender {
  Handle<Recorder> recorder;
  int from = 0;
  void send(int count) {
    for (int i = 0; i < count; ++i) recorder.post<&Recorder::note>(from + i);
  }
};

TEST(Order, Contract2_SerialNodeRunsOneAtATime) {
  everywhere([](const Conditions& setup) {
    Program program("serial");
    auto recorder = program.with(on_rank(other(setup))).node<Recorder>("recorder");
    auto senders = program.group<Sender>("sender", 4, [&](int i) { return std::tuple(recorder, i * 1000); });
    testing::run(program, setup, [&](Running&) {
      auto done = senders.call_all<&Sender::send>(50);
      for (auto& each : done) each.get();
      // Posts of other activities may be on their way still.
      std::vector<int> all;
      for (int i = 0; i < 1000 && all.size() < 200; ++i) {
        const auto more = recorder.get<&Recorder::taken>();
        all.insert(all.end(), more.begin(), more.end());
        pause_for(1ms);
      }
      EXPECT_EQ(all.size(), 200U);
      std::array<int, 4> next{};
      for (const int value : all) EXPECT_EQ(value % 1000, next.at(static_cast<std::size_t>(value / 1000))++);
      EXPECT_EQ(recorder.get<&Recorder::most_at_once>(), 1);
    });
  });
}

TEST(Order, Contract2_ConcurrencyAdmitsSoManyAndNoMore) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.pool_threads = 8;
    Program program("concurrent");
    auto options = on_rank(other(setup));
    options.concurrency = 3;
    auto recorder = program.with(options).node<Recorder>("recorder");
    testing::run(program, setup, [&](Running&) {
      std::vector<Future<int>> futures;
      for (int i = 0; i < 12; ++i) futures.push_back(recorder.call<&Recorder::dwell>(20));
      for (auto& future : futures) future.get();
      EXPECT_EQ(recorder.get<&Recorder::most_at_once>(), 3);
    });
  });
}

struct Counting {  // a worker that shares state with its methods
  explicit Counting(Context& c) : context(&c) {}
  Context* context;
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  int value = 0;
  void touch() {
    if (++inside != 1) overlapped = true;
    ++value;
    pause_for(100us);
    --inside;
  }
  void bump() { touch(); }
  int total() { return overlapped ? -1 : value; }
  void run() {
    for (int i = 0; i < 50; ++i) context->exclusive([this] { touch(); });
  }
  using slipway_interface = interface<&Counting::bump, &Counting::total>;
};

TEST(Order, Contract2_ExclusiveKeepsHandlersOut) {
  everywhere([](const Conditions& setup) {
    Program program("exclusive");
    auto counting = program.with(on_rank(other(setup))).node<Counting>("counting");
    const auto result = testing::run(program, setup, [&](Running&) {
      for (int i = 0; i < 50; ++i) counting.get<&Counting::bump>();
      for (int i = 0; i < 2000 && counting.get<&Counting::total>() != 100; ++i) pause_for(1ms);
      EXPECT_EQ(counting.get<&Counting::total>(), 100);
    });
    EXPECT_EQ(result.status, 0);
  });
}

struct Crowded {  // handlers may meet each other, but nobody who has the node for himself
  explicit Crowded(Context& c) : context(&c) {}
  Context* context;
  std::atomic<int> handlers{0};
  std::atomic<bool> taken{false};
  std::atomic<bool> overlapped{false};
  std::atomic<int> times{0};
  void handle() {
    ++handlers;
    if (taken) overlapped = true;
    pause_for(200us);
    if (taken) overlapped = true;
    --handlers;
  }
  void take_often() {
    for (int i = 0; i < 20; ++i) {
      context->exclusive([this] {
        if (taken.exchange(true) || handlers != 0) overlapped = true;
        pause_for(100us);
        taken = false;
        ++times;
      });
    }
  }
  void run() {
    context->start_thread([this] { take_often(); });
    take_often();
  }
  int times_taken() { return overlapped ? -1 : times.load(); }
  using slipway_interface = interface<&Crowded::handle, &Crowded::times_taken>;
};

TEST(Order, Contract2_ExclusiveKeepsAllOfSeveralHandlersOut) {
  everywhere(
      [](const Conditions& setup) {
        Program program("crowded");
        NodeOptions options = on_rank(other(setup));
        options.concurrency = 3;
        auto crowded = program.with(options).node<Crowded>("crowded");
        const auto result = testing::run(program, setup, [&](Running&) {
          for (int round = 0; round < 1000 && crowded.get<&Crowded::times_taken>() < 40; ++round) {
            std::vector<Future<void>> calls;
            for (int i = 0; i < 6; ++i) calls.push_back(crowded.call<&Crowded::handle>());
            for (auto& call : calls) call.get();
            if (crowded.get<&Crowded::times_taken>() < 0) break;
          }
          EXPECT_EQ(crowded.get<&Crowded::times_taken>(), 40);
        });
        EXPECT_EQ(result.status, 0) << result.failure;
      },
      6);
}

struct Meeting {  // two of them run at the same time
  static inline std::atomic<int> present{0};
  bool meet() {
    ++present;
    const seam::Time limit = seam::after(1ms);
    while (present < 2 && seam::now() < limit) pause_for(50us);
    return present == 2;
  }
};

// The thread that receives requests to both begins with the first; the second must not wait for it. Where they come in
// messages of their own nobody may look for the second within the millisecond, so this must do for most seeds.
TEST(Order, NodesOfOneRankRunAtTheSameTime) {
  constexpr std::uint64_t seeds = 20;
  std::uint64_t met = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Program program("meeting");
    auto nodes = program.with(on_rank(1)).group<Meeting>("meeting", 2, [](int) { return std::tuple(); });
    Meeting::present = 0;
    testing::run(program, {.ranks = 2, .seed = seed}, [&](Running&) {
      auto both = nodes.call_all<&Meeting::meet>();
      const bool first = both[0].get();
      if (both[1].get() && first) ++met;
    });
  }
  EXPECT_GT(met, seeds / 2);
}

struct Threaded {  // all of its life on one thread
  std::thread::id built = std::this_thread::get_id();
  bool same() const { return std::this_thread::get_id() == built; }
  static inline std::atomic<int> destroyed_elsewhere{0};
  ~Threaded() {
    if (!same()) ++destroyed_elsewhere;
  }
  Async<bool> same_later() {
    Promise<int> none;
    auto future = none.future();
    { Promise<int> gone = std::move(none); }
    try {
      co_await std::move(future);
    } catch (const Cancelled&) {
    }
    co_return same();
  }
};

TEST(Order, Contract2_OwnThreadForLife) {
  everywhere([](const Conditions& setup) {
    Program program("own");
    auto options = on_rank(other(setup));
    options.thread = NodeThread::own;
    auto node = program.with(options).node<Threaded>("threaded");
    testing::run(program, setup, [&](Running&) {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(node.get<&Threaded::same>());
      EXPECT_TRUE(node.get<&Threaded::same_later>());
    });
    EXPECT_EQ(Threaded::destroyed_elsewhere, 0);
  });
}

// Contract 4.

struct Neighbour {
  int slow(int milliseconds) {
    pause_for(std::chrono::milliseconds(milliseconds));
    return milliseconds;
  }
  int fast() { return 1; }
};

struct Slow {
  int calls = 0;
  void take(const std::vector<double>&) {
    pause_for(200us);
    ++calls;
  }
  int count() { return calls; }
};

TEST(Window, Contract4_FullWindowMakesCallersWaitAndTellsTryCall) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.options = {{"window-calls", "8"}};
    Program program("window");
    auto slow = program.with(on_rank(other(setup))).node<Slow>("slow");
    auto free = program.with(on_rank(other(setup))).node<Neighbour>("free");
    const auto result = testing::run(program, setup, [&](Running&) {
      std::vector<Future<void>> futures;
      bool told = false;
      for (int i = 0; i < 100 && !told; ++i) {
        auto future = slow.try_call<&Slow::take>(std::vector<double>(10));
        if (future) {
          futures.push_back(std::move(*future));
        } else {
          told = true;
        }
      }
      EXPECT_TRUE(told);
      EXPECT_LE(futures.size(), 50U);
      EXPECT_EQ(free.get<&Neighbour::fast>(), 1) << "a full node blocks no other";
      for (int i = 0; i < 60; ++i) slow.post<&Slow::take>(std::vector<double>(10));
      EXPECT_EQ(free.get<&Neighbour::fast>(), 1);
      for (auto& future : futures) future.get();
      EXPECT_EQ(slow.get<&Slow::count>(), static_cast<int>(60 + futures.size()));
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Window, Contract4_BytesAreBoundedToo) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.serialize_local = true;
    setup.options = {{"window-bytes", "102400"}};
    Program program("window");
    auto slow = program.with(on_rank(other(setup))).node<Slow>("slow");
    testing::run(program, setup, [&](Running&) {
      int taken = 0;
      std::vector<Future<void>> futures;
      for (int i = 0; i < 20; ++i) {
        if (auto future = slow.try_call<&Slow::take>(std::vector<double>(5'000))) {
          ++taken;
          futures.push_back(std::move(*future));
        }
      }
      EXPECT_GE(taken, 2);
      EXPECT_LT(taken, 20);
      slow.get<&Slow::take>(std::vector<double>(500'000));  // larger than the window: goes alone
      for (auto& future : futures) future.get();
    });
  });
}

TEST(Window, Contract4_WaitForRoomHasTheCallsTimeLimit) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.options = {{"window-calls", "1"}};
    Program program("window");
    auto leaf = program.with(on_rank(other(setup))).node<Neighbour>("leaf");
    testing::run(program, setup, [&](Running&) {
      auto blocker = leaf.call<&Neighbour::slow>(60);
      try {
        auto late = leaf.with({.timeout = 10ms}).call<&Neighbour::fast>();
        EXPECT_THROW(late.get(), Timeout);
      } catch (const Timeout& timeout) {
        EXPECT_EQ(timeout.handler_ran(), HandlerRan::no);
      }
      EXPECT_EQ(blocker.get(), 60);
    });
  });
}

}  // namespace
}  // namespace slipway::test
