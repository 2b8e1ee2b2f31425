// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Contract 5: a blocking get leaves the caller's arguments where they lie, and lets go of them before it ends.
#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>

#include "everywhere.hpp"
#include "runtime_contract/counted.hpp"

namespace slipway::test {
namespace {

constexpr std::size_t large = 100'000;  // doubles

struct NotSeven {
  NotSeven() = default;
  NotSeven(int given) : value(given) {  // NOLINT: a conversion
    if (given == 7) throw std::domain_error("seven");
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
  int value = 0;
};

struct Looker {
  double sum(const Counted& array) { return array.sum(); }
  double sum_of_both(const Counted& first, Counted second, std::size_t more) {
    return first.sum() + second.sum() + static_cast<double>(more);
  }
  std::size_t length(const std::string& text, const std::vector<double>& values) { return text.size() + values.size(); }
  std::uintptr_t place(const std::vector<double>& values) { return reinterpret_cast<std::uintptr_t>(values.data()); }
  std::uintptr_t place_of_mine(std::vector<double> values) { return reinterpret_cast<std::uintptr_t>(values.data()); }
  double slow_sum(int milliseconds, const Counted& array) {
    seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds)));
    return array.sum();
  }
  Async<double> later(const Counted& array) {
    auto future = gate.future();
    co_await std::move(future);
    co_return array.sum();
  }
  void open() { gate.set(1); }
  int seven(NotSeven number) { return number.value; }
  Promise<int> gate;
};

std::uintptr_t place_of(const std::vector<double>& values) { return reinterpret_cast<std::uintptr_t>(values.data()); }

TEST(BlockingGet, Contract5_CopiesNoLvalue) {
  everywhere([](const Conditions& setup) {
    Program program("get");
    auto looker = program.with(on_rank(other(setup))).node<Looker>("looker");
    const auto result = testing::run(program, setup, [&](Running&) {
      const Counted array(large, 1.0);
      Counted second(large, 2.0);
      const int before = Counted::copies;
      for (int i = 0; i < 5; ++i) EXPECT_EQ(looker.get<&Looker::sum>(array), 1.0 * large);
      EXPECT_EQ(looker.get<&Looker::sum>(second), 2.0 * large);
      // One argument is converted, the others stay where they are.
      EXPECT_EQ(looker.get<&Looker::sum_of_both>(array, second, std::uint8_t{5}), 3.0 * large + 5);
      EXPECT_EQ(looker.get<&Looker::sum>(std::move(second)), 2.0 * large);
      const bool as_bytes =
          setup.ranks > 1 || setup.serialize_local;  // inside a rank it depends on whether the node idles
      if (as_bytes) {
        EXPECT_EQ(Counted::copies, before);
      }
      const std::vector<double> values(large, 1.0);
      EXPECT_EQ(looker.get<&Looker::length>("four", values), large + 4);
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(BlockingGet, Contract5_InsideARankTheHandlerSeesTheCallersArray) {
  Program program("get");
  auto looker = program.node<Looker>("looker");
  testing::run(program, {.ranks = 1, .serialize_local = false}, [&](Running&) {
    std::vector<double> values(large, 1.0);
    const auto mine = place_of(values);
    EXPECT_EQ(looker.get<&Looker::place>(values), mine);
    EXPECT_EQ(looker.get<&Looker::place>(std::as_const(values)), mine);
    EXPECT_NE(looker.get<&Looker::place_of_mine>(values), mine) << "a handler that takes a value has its own";
    EXPECT_EQ(looker.get<&Looker::place_of_mine>(std::move(values)), mine) << "moved all the way";
    EXPECT_TRUE(values.empty());  // NOLINT: that it was moved is the point
    const Counted array(large, 1.0);
    const int before = Counted::copies;
    EXPECT_EQ(looker.get<&Looker::sum>(array), 1.0 * large);
    EXPECT_EQ(Counted::copies, before);
    EXPECT_EQ(looker.get<&Looker::sum_of_both>(array, array, std::uint8_t{0}), 2.0 * large);
    EXPECT_EQ(Counted::copies, before + 1) << "the handler's own";
  });
}

TEST(BlockingGet, Contract5_ACoroutineKeepsItsOwn) {
  everywhere([](const Conditions& setup) {
    Program program("get");
    auto options = on_rank(other(setup));
    options.interleave = true;
    auto looker = program.with(options).node<Looker>("looker");
    testing::run(program, setup, [&](Running&) {
      auto array = std::make_unique<Counted>(large, 1.0);
      EXPECT_THROW(looker.with({.timeout = 10ms}).get<&Looker::later>(*array), Timeout);
      array.reset();
      looker.get<&Looker::open>();  // the coroutine goes on and reads its argument
    });
  });
}

TEST(BlockingGet, Contract1_TimeoutLeavesTheCallersMemoryAlone) {
  everywhere([](const Conditions& setup) {
    Program program("get");
    auto looker = program.with(on_rank(other(setup))).node<Looker>("looker");
    testing::run(program, setup, [&](Running& running) {
      auto blocker = looker.call<&Looker::slow_sum>(60, Counted(10, 1.0));
      if (setup.ranks > 1) running.delay(0, 1, 30ms);  // the transport reads late
      auto array = std::make_unique<Counted>(large, 1.0);
      EXPECT_THROW(looker.with({.timeout = 10ms}).get<&Looker::sum>(*array), Timeout);
      array.reset();
      EXPECT_EQ(blocker.get(), 10.0);
      EXPECT_EQ(looker.get<&Looker::sum>(Counted(large, 3.0)), 3.0 * large);
    });
  });
}

TEST(BlockingGet, Contract1_TimeLimitsHoldOnASlowEdge) {
  testing::for_each_seed(10, [](std::uint64_t seed) {
    Program program("get");
    auto looker = program.with(on_rank(1)).node<Looker>("looker");
    testing::run(program, {.ranks = 2, .seed = seed}, [&](Running& running) {
      running.delay(0, 1, 2s);
      const Counted array(large, 1.0);
      const auto before = seam::now();
      EXPECT_THROW(looker.with({.timeout = 10ms}).get<&Looker::sum>(array), Timeout);
      EXPECT_LT(seam::now() - before, 1'000'000'000) << "virtual time";
    });
    return !HasFailure();
  });
}

// A wait that Stopped ends, while the transport has not read the argument yet.
struct Waiting {
  Handle<Looker> looker;
  std::atomic<bool>* stopped;
  seam::Time* took;
  void run(Context& context) {
    auto array = std::make_unique<Counted>(large, 1.0);
    context.stop_now("enough");
    const auto before = seam::now();
    try {
      looker.get<&Looker::slow_sum>(1, *array);
    } catch (const Stopped&) {
      *stopped = true;
    }
    *took = seam::now() - before;
  }
};

TEST(BlockingGet, Contract8_StoppedWaitsForTheTransport) {
  const auto scenario = [](Conditions setup) {
    constexpr auto slow = 400ms;
    setup.delays = {{.from = 0, .to = 1, .duration = slow}};
    setup.options = {{"stop-limit", "5s"}};
    Program program("get");
    auto looker = program.with(on_rank(1)).node<Looker>("looker");
    std::atomic<bool> stopped = false;
    seam::Time took = 0;
    program.with(on_rank(0)).node<Waiting>("waiting", looker, &stopped, &took);
    EXPECT_EQ(testing::run(program, setup).status, 0);
    EXPECT_TRUE(stopped);
    EXPECT_GE(took, std::chrono::nanoseconds(slow).count()) << "the array was given back before it was read";
  };
  scenario({.ranks = 2});
  testing::for_each_seed(10, [&](std::uint64_t seed) {
    scenario({.ranks = 2, .seed = seed});
    return !HasFailure();
  });
}

TEST(BlockingGet, Contract1_ALostRankEndsIt) {
  const auto scenario = [](const Conditions& setup) {
    Program program("get");
    auto looker = program.with(on_rank(1)).node<Looker>("looker");
    const auto result = testing::run(program, setup, [&](Running& running) {
      running.delay(0, 1, 10s);
      auto last = looker.call<&Looker::slow_sum>(1, Counted(1, 1.0)).then([](double) { return 0; });
      running.lose(1);
      EXPECT_THROW(looker.get<&Looker::sum>(Counted(large, 1.0)), CallError);
    });
    EXPECT_EQ(result.status, 3);
  };
  scenario({.ranks = 2});
  testing::for_each_seed(10, [&](std::uint64_t seed) {
    scenario({.ranks = 2, .seed = seed});
    return !HasFailure();
  });
}

TEST(BlockingGet, AConversionThatThrowsLeavesTheNodeAlone) {
  everywhere([](const Conditions& setup) {
    Program program("get");
    auto looker = program.with(on_rank(other(setup))).node<Looker>("looker");
    testing::run(program, setup, [&](Running&) {
      EXPECT_THROW(looker.get<&Looker::seven>(7), std::domain_error);
      EXPECT_EQ(looker.get<&Looker::seven>(8), 8);
    });
  });
}

}  // namespace
}  // namespace slipway::test
