// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Contract 1: exactly one outcome a call, each of its own type.
#include <gmock/gmock.h>

#include <stdexcept>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::HasSubstr;

struct Worker {
  std::atomic<int> started{0};
  int twice(int value) {
    ++started;
    return 2 * value;
  }
  void nothing() { ++started; }
  int fail(const std::string& text) { throw std::out_of_range(text); }
  int fail_oddly() { throw 5; }
  void fail_post() { throw std::runtime_error("posted and failed"); }
  int slow(int milliseconds) {
    ++started;
    seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds)));
    return milliseconds;
  }
  int count() const { return started; }
};

struct Relay {
  Handle<Worker> worker;
  int pass(int milliseconds) { return worker.get<&Worker::slow>(milliseconds); }
  int pass_failure() { return worker.get<&Worker::fail>("deep"); }
};

struct OneWorker {
  explicit OneWorker(const Conditions& setup) : worker(program.with(on_rank(other(setup))).node<Worker>("worker")) {}
  Program program{"calls"};
  Handle<Worker> worker;
};

TEST(Calls, Contract1_ValueOrNothingComesBack) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    const auto result = testing::run(p.program, setup, [&](Running&) {
      EXPECT_EQ(p.worker.get<&Worker::twice>(21), 42);
      p.worker.get<&Worker::nothing>();
      auto future = p.worker.call<&Worker::twice>(4);
      EXPECT_TRUE(future.valid());
      EXPECT_TRUE(future.wait_for(10s));
      EXPECT_TRUE(future.ready());
      EXPECT_EQ(future.get(), 8);
      EXPECT_FALSE(future.valid());
      EXPECT_THROW(future.get(), UsageError);
      p.worker.post<&Worker::nothing>();
      EXPECT_EQ(p.worker.get<&Worker::count>(), 4);
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Calls, Contract1_RemoteExceptionTellsTypeTextNodeRankMethod) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    const auto result = testing::run(p.program, setup, [&](Running&) {
      try {
        p.worker.get<&Worker::fail>("no such thing");
        ADD_FAILURE() << "no exception";
      } catch (const RemoteError& error) {
        EXPECT_EQ(error.failure().type, "std::out_of_range");
        EXPECT_EQ(error.failure().text, "no such thing");
        EXPECT_EQ(error.failure().node, "worker");
        EXPECT_EQ(error.failure().rank, other(setup));
        EXPECT_THAT(error.failure().method, HasSubstr("Worker::fail"));
        EXPECT_EQ(error.handler_ran(), HandlerRan::yes);
      }
      try {
        p.worker.call<&Worker::fail_oddly>().get();
        ADD_FAILURE() << "no exception";
      } catch (const RemoteError& error) {
        EXPECT_EQ(error.failure().type, "int");
      }
      EXPECT_EQ(p.worker.get<&Worker::twice>(1), 2);  // the node lives on
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Calls, Contract1_LongErrorTextAcrossRanks) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    testing::run(p.program, setup, [&](Running&) {
      const std::string text(100'000, 'x');
      try {
        p.worker.get<&Worker::fail>(text);
        ADD_FAILURE() << "no exception";
      } catch (const RemoteError& error) {
        EXPECT_EQ(error.failure().text.substr(0, 500), text.substr(0, 500));
      }
    });
  });
}

TEST(Calls, Contract1_FailureOfNestedCallNamesBoth) {
  everywhere([](const Conditions& setup) {
    Program program("nested");
    auto worker = program.with(on_rank(other(setup))).node<Worker>("worker");
    auto relay = program.with(on_rank(0)).node<Relay>("relay", worker);
    testing::run(program, setup, [&](Running&) {
      try {
        relay.get<&Relay::pass_failure>();
        ADD_FAILURE() << "no exception";
      } catch (const RemoteError& error) {
        EXPECT_EQ(error.failure().node, "relay");
        EXPECT_THAT(error.failure().text, HasSubstr("worker"));
        EXPECT_THAT(error.failure().text, HasSubstr("deep"));
      }
    });
  });
}

TEST(Calls, Contract1_TimeoutEndsTheWaitNotTheHandler) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    const auto result = testing::run(p.program, setup, [&](Running&) {
      with_patience(setup, [&](int factor) {
        const int before = p.worker.get<&Worker::count>();
        auto future = p.worker.with({.timeout = factor * 20ms}).call<&Worker::slow>(factor * 100);
        const bool timed_out = throws<Timeout>([&] { future.get(); });
        auto late = p.worker.call<&Worker::slow>(1);
        const bool waited = setup.ranks == 1 || !late.wait_for(1ms);  // in one rank the wait may run the call itself
        EXPECT_EQ(late.get(), 1);
        return timed_out && waited && p.worker.get<&Worker::count>() == before + 2;
      });
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Calls, Contract1_ExpiredRequestNeverStarts) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    testing::run(p.program, setup, [&](Running&) {
      with_patience(setup, [&](int factor) {
        const int before = p.worker.get<&Worker::count>();
        auto blocker = p.worker.call<&Worker::slow>(factor * 60);
        auto expired = p.worker.with({.timeout = factor * 10ms}).call<&Worker::twice>(1);
        p.worker.with({.timeout = factor * 10ms}).post<&Worker::nothing>();
        EXPECT_EQ(blocker.get(), factor * 60);
        const bool timed_out = throws<Timeout>([&] { expired.get(); });
        return timed_out && p.worker.get<&Worker::count>() == before + 1;  // slow alone has started
      });
    });
  });
}

TEST(Calls, Contract1_DeadlineTravelsToNestedCalls) {
  everywhere([](const Conditions& setup) {
    Program program("deadlines");
    auto worker = program.with(on_rank(other(setup))).node<Worker>("worker");
    auto relay = program.with(on_rank(0)).node<Relay>("relay", worker);
    testing::run(program, setup, [&](Running& running) {
      with_patience(setup, [&](int factor) {
        const int before = worker.get<&Worker::count>();
        auto blocker = worker.call<&Worker::slow>(factor * 80);
        running.sleep_for(factor * 5ms);
        const bool ended = throws<Error>([&] { relay.with({.timeout = factor * 20ms}).get<&Relay::pass>(1); });
        EXPECT_EQ(blocker.get(), factor * 80);
        return ended && worker.get<&Worker::count>() == before + 1;  // the nested call inherited the time limit
      });
    });
  });
}

TEST(Calls, Contract1_CancelIsAnOutcome) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    testing::run(p.program, setup, [&](Running& running) {
      with_patience(setup, [&](int factor) {
        const int before = p.worker.get<&Worker::count>();
        auto blocker = p.worker.call<&Worker::slow>(factor * 40);
        running.sleep_for(factor * 5ms);
        auto future = p.worker.call<&Worker::twice>(1);
        running.sleep_for(factor * 5ms);
        future.cancel();
        EXPECT_TRUE(future.ready());
        const bool cancelled = throws<Cancelled>([&] { future.get(); });
        EXPECT_EQ(blocker.get(), factor * 40);
        return cancelled && p.worker.get<&Worker::count>() == before + 1;  // cancelled in the mailbox, so never started
      });
      auto done = p.worker.call<&Worker::twice>(3);
      EXPECT_TRUE(done.wait_for(10s));
      done.cancel();
      EXPECT_EQ(done.get(), 6);
    });
  });
}

TEST(Calls, Contract1_DroppedFutureNeitherBlocksNorCancels) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    testing::run(p.program, setup, [&](Running&) {
      with_patience(setup, [&](int factor) {
        const int started = p.worker.get<&Worker::count>();
        const auto before = seam::now();
        {
          auto dropped = p.worker.call<&Worker::slow>(factor * 200);
          (void)dropped;
        }
        const bool at_once = seam::now() - before < factor * 150'000'000LL;
        EXPECT_EQ(p.worker.get<&Worker::count>(), started + 1);
        return at_once;
      });
    });
  });
}

TEST(Calls, Contract1_UnobservedFailureIsCounted) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    testing::run(p.program, setup, [&](Running& running) {
      EXPECT_EQ(running.unobserved_errors(), 0U);
      {
        auto dropped = p.worker.call<&Worker::fail>("nobody looks");
        auto looked_at = p.worker.call<&Worker::fail>("somebody looks");
        EXPECT_THROW(looked_at.get(), RemoteError);
      }
      for (int i = 0; i < 1000 && running.unobserved_errors() == 0; ++i) running.sleep_for(1ms);
      EXPECT_EQ(running.unobserved_errors(), 1U);
    });
  });
}

TEST(Calls, Contract1_ExceptionOutOfPostFailsTheNode) {
  everywhere(
      [](const Conditions& setup) {
        OneWorker p(setup);
        const auto result = testing::run(p.program, setup, [&](Running& running) {
          p.worker.post<&Worker::fail_post>();
          for (int i = 0; i < 10'000; ++i) {
            running.sleep_for(1ms);
            (void)p.worker.get<&Worker::count>();  // ends with Stopped when the program fails
          }
        });
        EXPECT_EQ(result.status, 1);
        EXPECT_THAT(result.failure, HasSubstr("worker"));
        EXPECT_THAT(result.failure, HasSubstr("posted and failed"));
      },
      5);
}

TEST(Calls, Contract1_LostRankIsAnOutcome) {
  const auto scenario = [](const Conditions& setup) {
    Program program("lost");
    auto worker = program.with(on_rank(1)).node<Worker>("worker");
    const auto result = testing::run(program, setup, [&](Running& running) {
      auto waits = worker.call<&Worker::slow>(300);
      running.sleep_for(10ms);
      running.lose(1);
      try {
        waits.get();
        ADD_FAILURE() << "an answer of a lost rank";
      } catch (const PeerLost& lost) {
        EXPECT_EQ(lost.rank(), 1U);
        EXPECT_EQ(lost.handler_ran(), HandlerRan::maybe);
      } catch (const Stopped&) {
        // the program has failed, and says so first
      }
    });
    EXPECT_EQ(result.status, 3);
    EXPECT_THAT(result.failure, HasSubstr("lost by the test"));
  };
  scenario(Conditions{.ranks = 2});
  scenario(Conditions{.ranks = 3});
  testing::for_each_seed(10, [&](std::uint64_t seed) {
    scenario(Conditions{.ranks = 2, .seed = seed});
    return !HasFailure();
  });
}

TEST(Calls, Contract1_RetryNeedsIdempotent) {
  OneWorker p(Conditions{});
  testing::run(p.program, {}, [&](Running&) {
    EXPECT_THROW((void)p.worker.with({.timeout = 1s, .retries = 2}).call<&Worker::twice>(1), UsageError);
  });
}

TEST(Calls, Contract6_ArgumentsAreValues) {
  everywhere([](const Conditions& setup) {
    OneWorker p(setup);
    testing::run(p.program, setup, [&](Running&) {
      std::string text = "as it was";
      auto future = p.worker.call<&Worker::fail>(text);
      text = "changed";
      try {
        future.get();
      } catch (const RemoteError& error) {
        EXPECT_EQ(error.failure().text, "as it was");
      }
    });
  });
}

TEST(Calls, HandleOutsideAProgramIsAnError) {
  OneWorker p(Conditions{});
  EXPECT_THROW((void)p.worker.call<&Worker::twice>(1), UsageError);
  testing::run(p.program, {}, [&](Running&) {
    const Handle<Worker> none;
    EXPECT_THROW((void)none.call<&Worker::twice>(1), UsageError);
  });
}

}  // namespace
}  // namespace slipway::test
