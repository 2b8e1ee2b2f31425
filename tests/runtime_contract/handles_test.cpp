// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// How calls are named and aimed: groups, base classes, overloads. Contract 2: coroutines as handlers.
#include <gmock/gmock.h>

#include "everywhere.hpp"

namespace slipway::test {
namespace {

using ::testing::ElementsAre;

struct Cell {
  int number = 0;
  int value = 0;
  explicit Cell(int n) : number(n) {}
  int which() const { return number; }
  int add(int amount) { return value += amount; }
  int dwell(int milliseconds) {
    seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds)));
    return number;
  }
};

TEST(Groups, Contract2_IndexScatterAndAny) {
  everywhere([](const Conditions& setup) {
    Program program("groups");
    auto cells = program.with(on_rank(other(setup))).group<Cell>("cell", 4, [](int i) { return std::tuple(i); });
    const auto result = testing::run(program, setup, [&](Running&) {
      ASSERT_EQ(cells.size(), 4U);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(cells[i].get<&Cell::which>(), static_cast<int>(i));
      EXPECT_EQ(cells.end() - cells.begin(), 4);
      auto sums = cells.scatter<&Cell::add>(std::vector<int>{10, 20, 30, 40});
      EXPECT_THAT(when_all(std::move(sums)).get(), ElementsAre(10, 20, 30, 40));
      EXPECT_THROW((void)cells.scatter<&Cell::add>(std::vector<int>{1, 2, 3}), UsageError);
      EXPECT_EQ(cells[0].get<&Cell::add>(0), 10) << "a refused scatter calls nobody";
      cells.post_all<&Cell::add>(5);
      EXPECT_THAT(when_all(cells.call_all<&Cell::add>(0)).get(), ElementsAre(15, 25, 35, 45));

      std::vector<Future<int>> busy;  // one on each of the first three
      for (int i = 0; i < 3; ++i) busy.push_back(cells.call_any<&Cell::dwell>(50));
      EXPECT_EQ(cells.call_any<&Cell::which>().get(), 3) << "the only idle one";
      EXPECT_THAT(when_all(std::move(busy)).get(), ElementsAre(0, 1, 2));
      const Group<Cell> nobody;
      EXPECT_THROW((void)nobody.call_any<&Cell::which>(), UsageError);
      EXPECT_TRUE(nobody.call_all<&Cell::which>().empty());
    });
    EXPECT_EQ(result.status, 0);
  });
}

// A group and an index are values: they can be passed on.
struct Picker {
  int pick(const Group<Cell>& cells, std::size_t index) { return cells[index].get<&Cell::which>(); }
};

TEST(Groups, Contract6_GroupsArePassedOn) {
  everywhere([](const Conditions& setup) {
    Program program("passed_on");
    auto cells = program.group<Cell>("cell", 3, [](int i) { return std::tuple(i); });
    auto picker = program.with(on_rank(other(setup))).node<Picker>("picker");
    testing::run(program, setup, [&](Running&) {
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(picker.get<&Picker::pick>(cells, i), static_cast<int>(i));
    });
  });
}

struct Named {
  virtual ~Named() = default;
  virtual std::string name() const { return "named"; }
  int plain() { return 1; }
};
struct Sized {
  virtual ~Sized() = default;
  int size = 7;
  virtual int get_size() { return size; }
};
struct Both : Named, Sized {  // the second base lies elsewhere in the object
  std::string name() const override { return "both"; }
  int get_size() override { return size + extra; }
  int extra = 100;
};
struct Further : Both {
  std::string name() const override { return "further"; }
};

TEST(Handles, Contract2_HandlesOfDerivedClassesAreHandlesOfTheirBases) {
  everywhere([](const Conditions& setup) {
    Program program("bases");
    auto both = program.with(on_rank(other(setup))).node<Both>("both");
    auto further = program.with(on_rank(other(setup))).node<Further>("further");
    const auto result = testing::run(program, setup, [&](Running&) {
      const std::vector<Handle<Named>> named{both, further};
      EXPECT_EQ(named[0].get<&Named::name>(), "both");
      EXPECT_EQ(named[1].get<&Named::name>(), "further");
      EXPECT_EQ(named[1].get<&Named::plain>(), 1);
      const Handle<Sized> sized = both;
      EXPECT_EQ(sized.get<&Sized::get_size>(), 107);
      EXPECT_EQ(sized.call<&Sized::get_size>().get(), 107);
      const Handle<Both> nearer = further;
      const Handle<Sized> base = nearer;  // in two steps
      EXPECT_EQ(base.get<&Sized::get_size>(), 107);
      EXPECT_EQ(further.get<&Named::plain>(), 1) << "an inherited method";
      EXPECT_EQ(further.get<&Sized::get_size>(), 107);
    });
    EXPECT_EQ(result.status, 0);
  });
}

struct Overloaded {
  int over(int value) { return value + 1; }
  double over(double value) { return value + 0.5; }
  std::string over(const std::string& value) const { return value + "s"; }
  int over(int first, int second) noexcept { return first * second; }
  int over(std::uint8_t value) & { return value; }
  int over(std::int8_t value) const& noexcept { return -value; }
  template <class T>
  T twice(const T& value) {
    return value + value;
  }
};

TEST(Handles, Contract2_OverloadsAreChosenByTheirParameters) {
  everywhere([](const Conditions& setup) {
    Program program("overloads");
    auto node = program.with(on_rank(other(setup))).node<Overloaded>("node");
    testing::run(program, setup, [&](Running&) {
      EXPECT_EQ(node.get<overload<int>(&Overloaded::over)>(1), 2);
      EXPECT_EQ(node.get<overload<double>(&Overloaded::over)>(1.0), 1.5);
      EXPECT_EQ(node.get<overload<const std::string&>(&Overloaded::over)>("a"), "as");
      EXPECT_EQ((node.get<overload<int, int>(&Overloaded::over)>(6, 7)), 42);
      EXPECT_EQ(node.get<overload<std::uint8_t>(&Overloaded::over)>(std::uint8_t{9}), 9);
      EXPECT_EQ(node.get<overload<std::int8_t>(&Overloaded::over)>(std::int8_t{9}), -9);
      EXPECT_EQ(node.get<&Overloaded::twice<int>>(4), 8);
      EXPECT_EQ(node.get<&Overloaded::twice<std::string>>("ab"), "abab");
    });
  });
}

// Contract 2: coroutines.

struct Source {
  int after(int milliseconds) {
    seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds)));
    return milliseconds;
  }
  int fail() { throw std::runtime_error("no source"); }
};

struct Collector {
  Handle<Source> source;
  std::vector<int> order;
  explicit Collector(Handle<Source> s) : source(s) {}

  Async<int> one(int milliseconds) {
    auto future = source.call<&Source::after>(milliseconds);
    co_return co_await std::move(future);
  }
  Async<int> collect(int id, std::vector<int> times) {  // the arguments live as long as the coroutine
    order.push_back(id);
    int sum = 0;
    for (const int time : times) {
      auto part = one(time);
      sum += co_await std::move(part);
    }
    order.push_back(-id);
    co_return sum;
  }
  Async<int> caught() {
    auto future = source.call<&Source::fail>();
    try {
      co_return co_await std::move(future);
    } catch (const RemoteError&) {
    }
    co_return -1;
  }
  Async<void> uncaught() {
    auto future = source.call<&Source::fail>();
    co_await std::move(future);
  }
  std::vector<int> seen() { return order; }
};

void collect_everywhere(bool interleave) {
  everywhere([interleave](const Conditions& setup) {
    Program program("coroutines");
    auto source = program.with(on_rank(0)).node<Source>("source");
    auto options = on_rank(other(setup));
    options.interleave = interleave;
    auto collector = program.with(options).node<Collector>("collector", source);
    const auto result = testing::run(program, setup, [&](Running&) {
      auto first = collector.call<&Collector::collect>(1, std::vector<int>{30, 10});
      auto second = collector.call<&Collector::collect>(2, std::vector<int>{1});
      EXPECT_EQ(first.get(), 40);
      EXPECT_EQ(second.get(), 1);
      const auto order = collector.get<&Collector::seen>();
      if (interleave) {
        EXPECT_THAT(order, ::testing::AnyOf(ElementsAre(1, 2, -2, -1), ElementsAre(1, 2, -1, -2)))
            << "the second is admitted while the first waits";
      } else {
        EXPECT_THAT(order, ElementsAre(1, -1, 2, -2)) << "a suspended coroutine keeps the node";
      }
      EXPECT_EQ(collector.get<&Collector::caught>(), -1);
      EXPECT_THROW(collector.get<&Collector::uncaught>(), RemoteError);
      EXPECT_EQ(collector.get<&Collector::one>(2), 2) << "the node lives on";
    });
    EXPECT_EQ(result.status, 0);
  });
}

TEST(Coroutines, Contract2_SuspendedOnesKeepTheNode) { collect_everywhere(false); }
TEST(Coroutines, Contract2_InterleavedNodesAdmitOthers) { collect_everywhere(true); }

}  // namespace
}  // namespace slipway::test
