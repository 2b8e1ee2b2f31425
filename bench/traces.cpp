// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <slipway/slipway.hpp>

#include "effort.hpp"
#include "task_times.hpp"

// Tasks on one rank, to be run with and without --slipway-task-events=0: what their traces cost.
// Flag: --effort PERCENT.
namespace {

struct Submitter {
  bench::Effort effort;

  void run() {
    const int empty = effort.of(1'000'000);
    bench::print_figure("empty_per_s", bench::median([&] { return empty / bench::seconds_of_empty_tasks(empty); }));
    const int paced = effort.of(5'000);
    bench::print_figure("paced_us", 1e6 * bench::median([&] { return one_after_the_other(paced) / paced; }));
    const std::uint64_t steps = bench::steps_of(1e-3);
    const int long_ones = effort.of(500);
    bench::print_figure("tasks_of_1ms_per_s",
                        bench::median([&] { return long_ones / bench::seconds_of_tasks(long_ones, steps); }));
  }

  // Few enough that each leaves its trace.
  static double one_after_the_other(int tasks) {
    double busy = 0;
    for (int i = 0; i < tasks; ++i) {
      const auto start = bench::Clock::now();
      slipway::get(slipway::submit<&bench::nothing>(i));
      busy += bench::seconds_since(start);
      slipway::seam::sleep_until(slipway::seam::now() + 100'000);
    }
    return busy;
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
