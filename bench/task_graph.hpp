// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

// Graphs of tasks in steps, whose tasks need results of some tasks of the step before: the patterns and the measure
// are those of Task Bench (Slaughter et al., SC20), the code is not.
namespace bench {

enum class Pattern { stencil, nearest, fft, spread, all_to_all };
inline constexpr std::array patterns{Pattern::stencil, Pattern::nearest, Pattern::fft, Pattern::spread,
                                     Pattern::all_to_all};

inline const char* name_of(Pattern pattern) {
  constexpr std::array names{"stencil", "nearest", "fft", "spread", "all_to_all"};
  return names[static_cast<std::size_t>(pattern)];
}

struct TaskGraph {
  Pattern pattern = Pattern::stencil;
  int width = 0;       // tasks a step
  int iterations = 0;  // of the kernel in each task
};

// One task.
struct Point {
  TaskGraph graph;
  int step = 0;
  int place = 0;  // within its step
};

// What a task gives: who it was, so that those who need it see whether they got the right one.
struct Stamp {
  int step = 0;
  int place = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

inline constexpr int fan_in = 5;  // of the patterns nearest and spread

template <class Visit>
void visit_near(const Point& point, int distance, const Visit& visit) {
  const int last = std::min(point.graph.width - 1, point.place + distance);
  for (int place = std::max(0, point.place - distance); place <= last; ++place) visit(place);
}

// A butterfly: who is 1 away, 2, 4... and 1 again.
template <class Visit>
void visit_butterfly(const Point& point, const Visit& visit) {
  int levels = 1;
  while ((1 << levels) < point.graph.width) ++levels;
  const int distance = 1 << (point.step % levels);
  if (point.place >= distance) visit(point.place - distance);
  visit(point.place);
  if (point.place + distance < point.graph.width) visit(point.place + distance);
}

// Evenly over the whole width, and each step others.
template <class Visit>
void visit_spread(const Point& point, const Visit& visit) {
  const int width = point.graph.width;
  const int count = std::min(fan_in, width);
  for (int i = 0; i < count; ++i) visit((point.place + point.step + i * width / count) % width);
}

// The places in the step before of what a task needs, in their order.
template <class Visit>
void visit_dependencies(const Point& point, const Visit& visit) {
  if (point.step == 0) return;
  switch (point.graph.pattern) {
    case Pattern::stencil:
      return visit_near(point, 1, visit);
    case Pattern::nearest:
      return visit_near(point, fan_in / 2, visit);
    case Pattern::fft:
      return visit_butterfly(point, visit);
    case Pattern::spread:
      return visit_spread(point, visit);
    case Pattern::all_to_all:
      return visit_near(point, point.graph.width, visit);
  }
}

// Multiplies and adds on independent numbers: as many as hide how long each takes, few enough for the registers.
// Never inlined, so that all programs run the same instructions. The sum is positive, which the compiler cannot know.
inline constexpr std::size_t lanes = 16;
[[gnu::noinline]] inline double multiply_and_add(int iterations) {
  std::array<double, lanes> numbers{};
  for (std::size_t lane = 0; lane < lanes; ++lane) numbers[lane] = 1.0 + static_cast<double>(lane);
  for (int i = 0; i < iterations; ++i) {
    for (double& number : numbers) number = number * 0.999 + 0.001;
  }
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

// A task: `value_of` gives what came from a place of the step before. Throws if that is not what the task needs.
template <class ValueOf>
Stamp run_point(const Point& point, const ValueOf& value_of) {
  visit_dependencies(point, [&](int place) {
    if (value_of(place) != Stamp{point.step - 1, place})
      throw std::runtime_error(std::string(name_of(point.graph.pattern)) + ": a task got the result of another one");
  });
  const double sum = multiply_and_add(point.graph.iterations);
  return {point.step, sum > 0 ? point.place : -1};
}

}  // namespace bench
