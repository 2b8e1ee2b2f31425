// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Contract 3: waits, and cycles of waits.
#include <gmock/gmock.h>

#include <thread>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::HasSubstr;

void pause_for(std::chrono::nanoseconds duration) { seam::sleep_until(seam::after(duration)); }

struct Leaf {
  int slow(int milliseconds) {
    pause_for(std::chrono::milliseconds(milliseconds));
    return milliseconds;
  }
  int fast() { return 1; }
};
struct Blocker {
  Handle<Leaf> leaf;
  int wait_for_leaf(int milliseconds) { return leaf.get<&Leaf::slow>(milliseconds); }
};

TEST(Waits, Contract3_BlockedHandlersDoNotStarveTheRank) {
  everywhere([](const Conditions& given) {
    Conditions setup = given;
    setup.pool_threads = 1;
    Program program("blocked");
    auto leaf = program.with(on_rank(other(setup))).node<Leaf>("leaf");
    auto free = program.with(on_rank(0)).node<Leaf>("free");
    auto blockers = program.with(on_rank(0)).group<Blocker>("blocker", 10, [&](int) { return std::tuple(leaf); });
    testing::run(program, setup, [&](Running&) {
      auto waiting = blockers.call_all<&Blocker::wait_for_leaf>(20);
      for (int i = 0; i < 20; ++i) EXPECT_EQ(free.get<&Leaf::fast>(), 1);
      if (setup.ranks > 1) {
        EXPECT_FALSE(waiting.back().ready()) << "ten calls of 20 ms each on one serial node are not over yet";
      }
      for (auto& each : waiting) EXPECT_EQ(each.get(), 20);
    });
  });
}

TEST(Waits, Contract3_TooManyBlockedHandlersAreAnError) {
  const auto scenario = [](Conditions setup) {
    setup.options = {{"max-blocked", "3"}};
    Program program("blocked");
    auto leaf = program.with(on_rank(1)).node<Leaf>("leaf");
    auto blockers = program.with(on_rank(0)).group<Blocker>("blocker", 8, [&](int) { return std::tuple(leaf); });
    testing::run(program, setup, [&](Running&) {
      int refused = 0;
      auto waiting = blockers.call_all<&Blocker::wait_for_leaf>(30);
      for (auto& each : waiting) {
        try {
          EXPECT_EQ(each.get(), 30);
        } catch (const RemoteError& error) {
          ++refused;
          EXPECT_EQ(error.failure().type, "slipway::TooManyBlocked");
          EXPECT_THAT(error.failure().text, HasSubstr("max-blocked"));
        }
      }
      EXPECT_EQ(refused, 5);
    });
  };
  scenario({.ranks = 2});
  testing::for_each_seed(5, [&](std::uint64_t seed) { scenario({.ranks = 2, .seed = seed}); });
}

struct Ring {
  explicit Ring(Context& c, Handle<Ring> n) : context(&c), next(n) {}
  Context* context;
  Handle<Ring> next;
  int depth_get(int depth) { return depth == 0 ? 0 : 1 + next.get<&Ring::depth_get>(depth - 1); }
  void start(int depth) { next.post<&Ring::start>(depth); }
};

TEST(Waits, Contract3_CycleOfGetsIsADeadlockWithNames) {
  for (const std::uint32_t length : {1U, 2U, 3U}) {
    everywhere([length](const Conditions& setup) {
      Program program("ring");
      std::vector<Handle<Ring>> ring;
      for (std::uint32_t i = 0; i < length; ++i) {
        ring.push_back(program.with(on_rank(i % setup.ranks)).declare<Ring>("ring" + std::to_string(i)));
      }
      for (std::uint32_t i = 0; i < length; ++i) program.define(ring[i], ring[(i + 1) % length]);
      const auto result = testing::run(program, setup, [&](Running&) {
        try {
          ring[0].with({}).get<&Ring::depth_get>(static_cast<int>(length) + 1);
          ADD_FAILURE() << "the cycle has not been found";
        } catch (const Deadlock& error) {
          EXPECT_THAT(error.what(), HasSubstr("ring0"));
        } catch (const RemoteError& error) {
          EXPECT_THAT(error.what(), HasSubstr("cycle of waits"));
          EXPECT_THAT(error.what(), HasSubstr("ring0"));
          EXPECT_THAT(error.what(), HasSubstr("ring" + std::to_string(length - 1)));
        }
      });
      EXPECT_EQ(result.status, 0);
    }, 6);
  }
}

struct FanRing {
  Handle<FanRing> next;
  int depth(int left) {
    if (left == 0) return 0;
    std::vector<Future<int>> parts;
    parts.push_back(next.call<&FanRing::depth>(left - 1));
    parts.push_back(next.call<&FanRing::depth>(0));
    return 1 + when_all(std::move(parts)).get().front();
  }
};

TEST(Waits, Contract3_CycleThroughWhenAllIsADeadlockToo) {
  everywhere([](const Conditions& setup) {
    Program program("fan_ring");
    std::vector<Handle<FanRing>> ring;
    for (std::uint32_t i = 0; i < 2; ++i) {
      ring.push_back(program.with(on_rank(i % setup.ranks)).declare<FanRing>("ring" + std::to_string(i)));
    }
    for (std::uint32_t i = 0; i < 2; ++i) program.define(ring[i], ring[(i + 1) % 2]);
    const auto result = testing::run(program, setup, [&](Running&) {
      try {
        ring[0].with({}).get<&FanRing::depth>(3);
        ADD_FAILURE() << "the cycle has not been found";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("cycle of waits"));
        EXPECT_THAT(error.what(), HasSubstr("ring1"));
      }
    });
    EXPECT_EQ(result.status, 0);
  }, 6);
}

struct AsyncRing {
  Handle<AsyncRing> next;
  Async<int> depth(int left) {
    if (left == 0) co_return 0;
    auto deeper = next.call<&AsyncRing::depth>(left - 1);
    co_return 1 + co_await std::move(deeper);
  }
};

TEST(Waits, Contract3_CycleOfSuspendedCoroutinesIsADeadlockToo) {
  for (const std::uint32_t length : {1U, 2U, 3U}) {
    everywhere([length](const Conditions& setup) {
      Program program("async_ring");
      std::vector<Handle<AsyncRing>> ring;
      for (std::uint32_t i = 0; i < length; ++i) {
        ring.push_back(program.with(on_rank(i % setup.ranks)).declare<AsyncRing>("ring" + std::to_string(i)));
      }
      for (std::uint32_t i = 0; i < length; ++i) program.define(ring[i], ring[(i + 1) % length]);
      const auto result = testing::run(program, setup, [&](Running&) {
        try {
          ring[0].with({}).get<&AsyncRing::depth>(static_cast<int>(length) + 1);
          ADD_FAILURE() << "the cycle has not been found";
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("cycle of waits"));
          EXPECT_THAT(error.what(), HasSubstr("ring0"));
        }
      });
      EXPECT_EQ(result.status, 0);
    }, 6);
  }
}

struct InterleavedRing {
  Handle<InterleavedRing> next;
  Async<int> depth(int left) {
    if (left == 0) co_return 0;
    auto deeper = next.call<&InterleavedRing::depth>(left - 1);
    co_return 1 + co_await std::move(deeper);
  }
};

TEST(Waits, Contract3_InterleavedCoroutinesMayCallEachOtherInACircle) {
  everywhere([](const Conditions& setup) {
    Program program("interleaved_ring");
    std::vector<Handle<InterleavedRing>> ring;
    for (std::uint32_t i = 0; i < 2; ++i) {
      NodeOptions options = on_rank(i % setup.ranks);
      options.interleave = true;
      ring.push_back(program.with(options).declare<InterleavedRing>("ring" + std::to_string(i)));
    }
    for (std::uint32_t i = 0; i < 2; ++i) program.define(ring[i], ring[(i + 1) % 2]);
    const auto result = testing::run(program, setup, [&](Running&) {
      EXPECT_EQ(ring[0].with({}).get<&InterleavedRing::depth>(50), 50);
    });
    EXPECT_EQ(result.status, 0);
  }, 6);
}

struct Caller {
  Handle<struct Answerer> answerer;
  Future<int> pending;
  explicit Caller(Handle<Answerer> a) : answerer(a) {}
  void start();
  int value() { return 7; }
  bool answered() { return pending.ready(); }
  int finish() { return pending.get(); }
};
struct Answerer {
  Handle<Caller> caller;
  explicit Answerer(Handle<Caller> c) : caller(c) {}
  int ask_back() { return caller.get<&Caller::value>(); }
};
void Caller::start() { pending = answerer.call<&Answerer::ask_back>(); }

TEST(Waits, Contract3_AnOutstandingCallIsNoWait) {
  everywhere([](const Conditions& setup) {
    Program program("legal");
    auto caller = program.with(on_rank(0)).declare<Caller>("caller");
    auto answerer = program.with(on_rank(other(setup))).node<Answerer>("answerer", caller);
    program.define(caller, answerer);
    const auto result = testing::run(program, setup, [&](Running& running) {
      for (int i = 0; i < 5; ++i) {
        caller.get<&Caller::start>();
        // To wait for it in a handler of its own caller too early would be a cycle indeed.
        for (int tries = 0; tries < 10'000 && !caller.get<&Caller::answered>(); ++tries) running.sleep_for(1ms);
        EXPECT_EQ(caller.get<&Caller::finish>(), 7);
      }
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Waits, Contract3_ACycleWithATimeLimitEndsByIt) {
  everywhere([](const Conditions& setup) {
    Program program("limited");
    auto first = program.with(on_rank(0)).declare<Ring>("first");
    auto second = program.with(on_rank(other(setup))).node<Ring>("second", first);
    program.define(first, second);
    testing::run(program, setup, [&](Running&) {
      try {
        first.with({.timeout = 100ms}).get<&Ring::depth_get>(3);
        ADD_FAILURE() << "a cycle cannot give a value";
      } catch (const Timeout&) {
      } catch (const RemoteError& error) {
        EXPECT_THAT(error.what(), HasSubstr("in time"));
      }
    });
  });
}

}  // namespace
}  // namespace slipway::test
