// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
//
// bench/metg.cpp with OpenMP's tasks: what slipway's are measured against. Flag: --effort PERCENT.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "effort.hpp"
#include "metg.hpp"

namespace {

using bench::Point;
using bench::Stamp;

class Tasks {
 public:
  double seconds_of(const bench::TaskGraph& graph, int steps) {
    for (Row& row : rows_) row.assign(static_cast<std::size_t>(graph.width), Stamp{-1, -1});
    double seconds = 0;
#pragma omp parallel num_threads(bench::core_count())
#pragma omp single
    {
      const auto start = bench::Clock::now();
      for (int step = 0; step < steps; ++step) submit_step({graph, step, 0});
#pragma omp taskwait
      seconds = bench::seconds_since(start);
    }
    check(graph, steps - 1);
    return seconds;
  }
  template <class Work>
  void on_all_cores(const Work& work) {
#pragma omp parallel num_threads(bench::core_count())
    work();
  }

 private:
  using Row = std::vector<Stamp>;  // what the tasks of one step give

  Row& row_of(int step) { return rows_[static_cast<std::size_t>(step) % rows_.size()]; }

  void submit_step(Point point) {
    for (point.place = 0; point.place < point.graph.width; ++point.place) submit(point);
  }
  void submit(const Point& point) {
    inputs_.clear();
    if (point.step > 0) {
      const Row& before = row_of(point.step - 1);
      bench::visit_dependencies(point, [&](int place) { inputs_.push_back(&before[static_cast<std::size_t>(place)]); });
    }
    const Stamp* const* const inputs = inputs_.data();
    const std::size_t count = inputs_.size();
    Stamp* const output = &row_of(point.step)[static_cast<std::size_t>(point.place)];
// clang-format off
#pragma omp task default(none) firstprivate(point, output) \
    depend(iterator(std::size_t i = 0 : count), in : *inputs[i]) depend(out : *output)
    // clang-format on
    *output = run(point);
  }
  // No exception may leave a task.
  Stamp run(const Point& point) noexcept {
    try {
      const Row& before = row_of(point.step + static_cast<int>(rows_.size()) - 1);
      return bench::run_point(point, [&](int place) { return before[static_cast<std::size_t>(place)]; });
    } catch (const std::exception&) {
      wrong_ = true;
      return {};
    }
  }
  void check(const bench::TaskGraph& graph, int step) {
    for (int place = 0; place < graph.width; ++place) {
      if (row_of(step)[static_cast<std::size_t>(place)] != Stamp{step, place}) wrong_ = true;
    }
    if (wrong_) throw std::runtime_error("a task got the result of another one");
  }

  std::array<Row, 16> rows_;          // more than one, so that few tasks wait for those that still read
  std::vector<const Stamp*> inputs_;  // of the task that is submitted now
  std::atomic<bool> wrong_{false};
};

}  // namespace

int main(int argc, char** argv) try {
  const bench::Effort effort = bench::effort_from(argc, argv);
  Tasks tasks;
  bench::print_metg(tasks, effort);
} catch (const std::exception& error) {
  std::fprintf(stderr, "metg_openmp: %s\n", error.what());
  return 1;
}
