// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "effort.hpp"
#include "metg.hpp"

// How short tasks that need each other's results may be. Flag: --effort PERCENT.
namespace {

using bench::Point;
using bench::Stamp;
using Row = std::vector<slipway::Ref<Stamp>>;  // the tasks of one step

Stamp run_with_many(const Point& point, const std::vector<Stamp>& inputs) {
  std::size_t next = 0;
  return bench::run_point(point, [&](int) { return inputs[next++]; });
}

template <std::size_t>
using StampAt = Stamp;

// A task with a few inputs has a parameter for each, as one that is written for its purpose.
template <class Indexes>
struct WithFew;
template <std::size_t... I>
struct WithFew<std::index_sequence<I...>> {
  static Stamp run(const Point& point, const StampAt<I>&... inputs) {
    const std::array<const Stamp*, sizeof...(I)> all{&inputs...};
    std::size_t next = 0;
    return bench::run_point(point, [&](int) { return *all.at(next++); });
  }
  static slipway::Ref<Stamp> submit(const Point& point, const Row& inputs) {
    return slipway::submit<&run>(point, inputs[I]...);
  }
};

using Submit = slipway::Ref<Stamp> (*)(const Point&, const Row&);
template <std::size_t... count>
constexpr std::array<Submit, sizeof...(count)> submit_functions(std::index_sequence<count...>) {
  return {&WithFew<std::make_index_sequence<count>>::submit...};
}

slipway::Ref<Stamp> submit(const Point& point, const Row& inputs) {
  constexpr auto with_few = submit_functions(std::make_index_sequence<9>());
  if (inputs.size() < with_few.size()) return with_few[inputs.size()](point, inputs);
  return slipway::submit<&run_with_many>(point, inputs);
}

class Tasks {
 public:
  double seconds_of(const bench::TaskGraph& graph, int steps) {
    const auto start = bench::Clock::now();
    std::array<Row, ahead> rows;
    for (int step = 0; step < steps; ++step) submit_step({graph, step, 0}, rows);
    for (Row& row : rows) slipway::get(row);
    const double seconds = bench::seconds_since(start);
    check(graph, steps - 1, rows);
    return seconds;
  }
  template <class Work>
  void on_all_cores(const Work& work) {
    std::vector<std::jthread> others;
    for (int core = 1; core < bench::core_count(); ++core) others.emplace_back(work);
    work();
  }

 private:
  static constexpr std::size_t ahead = 16;  // steps: enough to keep all cores busy, and memory is bounded

  void submit_step(Point point, std::array<Row, ahead>& rows) {
    Row& row = rows[static_cast<std::size_t>(point.step) % ahead];
    const Row& before = rows[(static_cast<std::size_t>(point.step) + ahead - 1) % ahead];
    for (const auto& ref : row) slipway::get(ref);
    row.clear();
    for (point.place = 0; point.place < point.graph.width; ++point.place) {
      inputs_.clear();
      bench::visit_dependencies(point, [&](int place) { inputs_.push_back(before[static_cast<std::size_t>(place)]); });
      row.push_back(submit(point, inputs_));
    }
  }
  // An error in any step has come through to the last one.
  static void check(const bench::TaskGraph& graph, int step, const std::array<Row, ahead>& rows) {
    const Row& row = rows[static_cast<std::size_t>(step) % ahead];
    for (int place = 0; place < graph.width; ++place) {
      if (slipway::get(row[static_cast<std::size_t>(place)]) != Stamp{step, place})
        throw std::runtime_error("the last step has the result of another task");
    }
  }

  Row inputs_;  // of the task that is submitted now
};

struct Submitter {
  bench::Effort effort;

  void run() {
    Tasks tasks;
    bench::print_metg(tasks, effort);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  const bench::Effort effort = bench::effort_from(argc, argv);
  slipway::Program program("bench_metg");
  program.with({.resources = {.cpus = 0}}).node<Submitter>("submitter", effort);
  return slipway::launch(program, options);
}
