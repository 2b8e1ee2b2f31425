// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "measure.hpp"
#include "task_graph.hpp"

// METG(50 %): the shortest tasks with which a system of tasks keeps half of the rate of multiply-adds that the cores
// have. The length of a task is the time that the cores have for one: their number times the seconds, by the tasks.
namespace bench {

inline int core_count() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

// A System has
//   double seconds_of(const TaskGraph&, int steps): runs the graph, and checks the last step;
//   void on_all_cores(work): calls work() on each core at once, without tasks.
template <class System>
class MetgSweep {
 public:
  MetgSweep(System& system, Effort effort) : system_(system), effort_(effort) {}

  // In seconds. From long tasks to short ones, each half as long as those before; between the last two of them the
  // efficiency is taken as linear in the logarithm of the length.
  double metg(Pattern pattern) {
    TaskGraph graph{pattern, points_a_core * core_count(), usual_longest};
    double above = long_enough(graph);
    while (graph.iterations > 1) {
      graph.iterations /= 2;
      const double efficiency = efficiency_of(graph);
      if (efficiency < half) {
        const double doublings = (half - efficiency) / (above - efficiency);
        return length(graph.iterations * std::exp2(doublings), half);
      }
      above = efficiency;
    }
    return length(1, above);  // at most
  }

 private:
  static constexpr double half = 0.5;
  static constexpr int points_a_core = 4;        // 8 a step on 2 cores
  static constexpr int usual_longest = 1 << 14;  // iterations; some 50 us

  // Tasks with which more than half is kept; their efficiency.
  double long_enough(TaskGraph& graph) {
    for (; graph.iterations <= 1 << 22; graph.iterations *= 2) {
      const double efficiency = efficiency_of(graph);
      if (efficiency >= half) return efficiency;
    }
    throw std::runtime_error(std::string(name_of(graph.pattern)) + ": tasks of 10 ms do not keep half of the rate");
  }

  // Against the kernel without tasks, right before: another job slows both down.
  double efficiency_of(const TaskGraph& graph) {
    const int steps = steps_of(graph);
    const double iterations = static_cast<double>(graph.width) * steps * graph.iterations / core_count();
    const double efficiency = median([&] {
      const double bare = iterations * seconds_an_iteration();
      return bare / system_.seconds_of(graph, steps);
    });
    const double microseconds = 1e6 * length(graph.iterations, efficiency);
    std::printf("%s: tasks of %.2f us: %.3f\n", name_of(graph.pattern), microseconds, efficiency);
    return efficiency;
  }
  // About as many as are in time, were the overhead of a task 2 us; but so many that the first steps do not count.
  int steps_of(const TaskGraph& graph) const {
    constexpr double seconds_of_a_turn = 0.01;
    const double length = graph.iterations * 3e-9 + 2e-6;
    return std::max(16, effort_.of(static_cast<int>(seconds_of_a_turn / (length * points_a_core))));
  }
  // Of a core, while all of them compute.
  double seconds_an_iteration() {
    const int share = std::max(1 << 16, effort_.of(1 << 21));
    const auto start = Clock::now();
    system_.on_all_cores([share] {
      if (multiply_and_add(share) < 0) throw std::logic_error("positive numbers have a negative sum");
    });
    const double seconds = seconds_since(start) / share;
    best_ = std::min(best_, seconds);
    return seconds;
  }

  double length(double iterations, double efficiency) const { return iterations * best_ / efficiency; }

  System& system_;
  const Effort effort_;
  double best_ = std::numeric_limits<double>::infinity();  // seconds an iteration
};

// Prints "figure metg_PATTERN_us VALUE" for each pattern.
template <class System>
void print_metg(System& system, Effort effort) {
  MetgSweep<System> sweep(system, effort);
  for (const Pattern pattern : patterns) {
    const double seconds = sweep.metg(pattern);
    print_figure(("metg_" + std::string(name_of(pattern)) + "_us").c_str(), 1e6 * seconds);
  }
}

}  // namespace bench
