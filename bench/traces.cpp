// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <slipway/slipway.hpp>
#include <vector>

#include "compute.hpp"
#include "effort.hpp"

// Tasks on one rank, to be run with and without --slipway-task-events=0: what their traces cost.
// Flag: --effort PERCENT.
namespace {

int nothing(int value) { return value; }

struct Submitter {
  bench::Effort effort;

  void run() {
    const int empty = effort.of(1'000'000);
    bench::print_figure("empty_per_s", bench::median([&] { return empty / drain_empty(empty); }));
    const int paced = effort.of(5'000);
    bench::print_figure("paced_us", 1e6 * bench::median([&] { return one_after_the_other(paced) / paced; }));
    const std::uint64_t steps = bench::steps_of(1e-3);
    const int long_ones = effort.of(500);
    bench::print_figure("tasks_of_1ms_per_s", bench::median([&] { return long_ones / drain(long_ones, steps); }));
  }

  static double drain_empty(int tasks) {
    std::vector<slipway::Ref<int>> refs;
    refs.reserve(static_cast<std::size_t>(tasks));
    const auto start = bench::Clock::now();
    for (int i = 0; i < tasks; ++i) refs.push_back(slipway::submit<&nothing>(i));
    slipway::get(std::move(refs));
    return bench::seconds_since(start);
  }
  // Few enough that each leaves its trace.
  static double one_after_the_other(int tasks) {
    double busy = 0;
    for (int i = 0; i < tasks; ++i) {
      const auto start = bench::Clock::now();
      slipway::get(slipway::submit<&nothing>(i));
      busy += bench::seconds_since(start);
      slipway::seam::sleep_until(slipway::seam::now() + 100'000);
    }
    return busy;
  }
  static double drain(int tasks, std::uint64_t steps) {
    std::vector<slipway::Ref<std::uint64_t>> refs;
    const auto start = bench::Clock::now();
    for (int i = 0; i < tasks; ++i) {
      refs.push_back(slipway::submit<&bench::compute>(steps + static_cast<std::uint64_t>(i)));
    }
    slipway::get(std::move(refs));
    return bench::seconds_since(start);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  const bench::Effort effort = bench::effort_from(argc, argv);
  slipway::Program program("bench_traces");
  program.with({.resources = {.cpus = 0}}).node<Submitter>("submitter", effort);
  return slipway::launch(program, options);
}
