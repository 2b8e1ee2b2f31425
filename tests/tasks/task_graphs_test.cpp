// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Random graphs of tasks give what a serial program gives, or the error that must come of it, and leave nothing behind.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "../runtime_contract/everywhere.hpp"

namespace slipway::test {
namespace {

// A value that counts how many of it there are.
struct Counted {
  std::int64_t number = 0;
  std::vector<std::int64_t> more;

  Counted() { ++alive; }
  explicit Counted(std::int64_t value) : number(value), more(static_cast<std::size_t>(value & 7), value) { ++alive; }
  Counted(const Counted& other) : number(other.number), more(other.more) { ++alive; }
  Counted(Counted&& other) noexcept : number(other.number), more(std::move(other.more)) { ++alive; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --alive; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, more);
  }
  static inline std::atomic<std::int64_t> alive{0};
};

// Where values and tasks are lost, they are made again as often as it takes.
std::atomic<bool> losing{false};
On as_often_as_needed() { return on({.max_retries = losing ? std::uint8_t{255} : TaskOptions().max_retries}); }

constexpr std::int64_t prime = 1'000'003;

Counted add(const Counted& left, const Counted& right) { return Counted((left.number * 31 + right.number) % prime); }
Counted sum(const std::vector<Counted>& values) {
  std::int64_t total = 17;
  for (const auto& each : values) total = (total * 7 + each.number) % prime;
  return Counted(total);
}
std::tuple<Counted, Counted> split(const Counted& value) {
  return {Counted(value.number / 2), Counted(value.number % 1009)};
}
Counted failing(const Counted& value) { throw std::domain_error(std::to_string(value.number)); }
// By tasks of its own.
Counted nested(const Counted& value, int depth) {
  if (depth == 0) return value;
  const Ref<Counted> inner = submit<&nested>(as_often_as_needed(), value, depth - 1);
  const Ref<Counted> other = submit<&nested>(as_often_as_needed(), put(value), depth - 1);
  return get(submit<&add>(as_often_as_needed(), inner, other));
}
Counted nested_serially(const Counted& value, int depth) {
  return depth == 0 ? value : add(nested_serially(value, depth - 1), nested_serially(value, depth - 1));
}

// Each value beside its ref: what a serial program has, or the text of the first failure that it comes from.
struct Expected {
  std::optional<Counted> value;
  std::string failure;
};
struct Vertex {
  Ref<Counted> ref;
  Expected expected;
};

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {}

  void grow(int steps) {
    add_vertex(put(Counted(3)), {Counted(3), ""});
    for (int i = 0; i < steps; ++i) grow_once();
  }
  void check() {
    if (below(2) == 0)
      vertices_.erase(vertices_.begin(), vertices_.begin() + below(static_cast<int>(vertices_.size())));
    for (const auto& vertex : vertices_) {
      if (vertex.expected.value) {
        EXPECT_EQ(get(vertex.ref).number, vertex.expected.value->number);
        continue;
      }
      try {
        get(vertex.ref);
        ADD_FAILURE() << "no exception, but " << vertex.expected.failure;
      } catch (const TaskError& error) {
        EXPECT_EQ(error.failure().text, vertex.expected.failure);
      }
    }
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  const Vertex& any() { return vertices_[static_cast<std::size_t>(below(static_cast<int>(vertices_.size())))]; }
  void add_vertex(Ref<Counted> ref, Expected expected) { vertices_.push_back({std::move(ref), std::move(expected)}); }

  // What comes of inputs: the first that failed, or what `f` makes of all.
  template <class F>
  static Expected of(const std::vector<Vertex>& inputs, F&& f) {
    for (const auto& input : inputs) {
      if (!input.expected.value) return input.expected;
    }
    return {f(), ""};
  }

  static Expected failed_with(const Counted& value) { return {std::nullopt, std::to_string(value.number)}; }

  void grow_once() {
    const Vertex left = any();
    const Vertex right = any();
    switch (below(6)) {
      case 0:
        return add_vertex(submit<&add>(as_often_as_needed(), left.ref, right.ref),
                          of({left, right}, [&] { return add(*left.expected.value, *right.expected.value); }));
      case 1: {
        std::vector<Vertex> inputs;
        std::vector<Ref<Counted>> refs;
        for (int i = below(6); i > 0; --i) {
          inputs.push_back(any());
          refs.push_back(inputs.back().ref);
        }
        return add_vertex(submit<&sum>(as_often_as_needed(), std::move(refs)), of(inputs, [&] {
                            std::vector<Counted> values;
                            for (const auto& input : inputs) values.push_back(*input.expected.value);
                            return sum(values);
                          }));
      }
      case 2: {
        auto [half, rest] = submit<&split>(as_often_as_needed(), left.ref);
        add_vertex(std::move(half), of({left}, [&] { return std::get<0>(split(*left.expected.value)); }));
        return add_vertex(std::move(rest), of({left}, [&] { return std::get<1>(split(*left.expected.value)); }));
      }
      case 3: {
        const int depth = below(4);
        return add_vertex(submit<&nested>(as_often_as_needed(), left.ref, depth),
                          of({left}, [&] { return nested_serially(*left.expected.value, depth); }));
      }
      case 4:
        if (below(4) != 0) return;
        return add_vertex(submit<&failing>(as_often_as_needed(), left.ref),
                          left.expected.value ? failed_with(*left.expected.value) : left.expected);
      default: {
        const Counted number(below(100));
        return add_vertex(submit<&add>(as_often_as_needed(), number, left.ref),
                          of({left}, [&] { return add(number, *left.expected.value); }));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<Vertex> vertices_;
};

struct Nothing {
  void run() {}
};

TEST(TaskGraphs, Contract12_GiveTheSerialAnswer) {
  std::uint64_t graph = 0;
  everywhere(
      [&](Conditions setup) {
        ++graph;
        setup.pool_threads = 1 + static_cast<std::uint32_t>(graph % 3);
        if (setup.ranks > 1) setup.ranks = 2 + static_cast<std::uint32_t>(graph / 3 % 3);
        losing = graph % 4 >= 2;
        if (graph % 4 != 0) setup.options.emplace_back("stays-from", "1");
        if (losing) setup.options.insert(setup.options.end(), {{"lose-values", "5"}, {"lose-tasks", "10"}});
        Program program("graphs");
        program.node<Nothing>("nothing");
        const auto result = testing::run(program, setup, [&](Running&) {
          RandomGraph random(graph);
          random.grow(setup.seed ? 40 : 400);
          random.check();
        });
        EXPECT_EQ(result.status, 0) << result.failure;
        EXPECT_EQ(Counted::alive, 0) << "values were left behind";
      },
      0);
}

// Several threads at once submit, wait, cancel and drop refs to each other's values.
struct Crowd {
  void run(Context& context) {
    const Ref<Counted> shared = put(Counted(5));
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      context.start_thread([shared, thread] {
        std::mt19937_64 random(thread);
        WaitSet<Counted> waiting;
        Ref<Counted> latest = shared;
        for (int i = 0; i < 300; ++i) {
          const Ref<Counted> made = submit<&add>(as_often_as_needed(), latest, shared);
          if (random() % 8 == 0) cancel(made, {.children = random() % 2 == 0});
          waiting.add(submit<&nested>(as_often_as_needed(), made, 1));
          latest = random() % 4 == 0 ? made : shared;
          if (random() % 4 == 0) waiting.wait({.count = 1});
        }
        for (const auto& done : waiting.wait()) {
          EXPECT_TRUE(done.ok() || done.outcome() == Outcome::cancelled);
        }
      });
    }
  }
};

TEST(TaskGraphs, ManyThreadsAtOnce) {
  losing = false;
  for (const std::uint32_t threads : {1U, 2U, 4U}) {
    Program program("crowd");
    program.node<Crowd>("crowd");
    const auto result = testing::run(program, {.pool_threads = threads});
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_EQ(Counted::alive, 0) << "values were left behind";
  }
}

}  // namespace
}  // namespace slipway::test
