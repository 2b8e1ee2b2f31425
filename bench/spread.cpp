// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <slipway/slipway.hpp>
#include <string>
#include <vector>

#include "effort.hpp"
#include "task_times.hpp"

// Tasks on two ranks, submitted by one: against the same work dealt out by hand, half to each rank.
// Flag: --effort PERCENT.
namespace {

using bench::Clock;
using bench::compute;

struct Half {
  std::uint64_t work(int tasks, std::uint64_t steps) {
    std::uint64_t sum = 0;
    for (int i = 0; i < tasks; ++i)
      sum += compute(steps + static_cast<std::uint64_t>(i));  // the same would be done once
    return sum;
  }
};

struct Submitter {
  std::vector<slipway::Handle<Half>> halves;
  bench::Effort effort;

  void run() {
    using namespace std::chrono_literals;
    bench::print_figure("remote_us", 1e6 * bench::median([&] { return remote(effort.of(2'000)); }));
    const int tasks = effort.of(100'000);
    bench::print_figure("tasks_per_s", bench::median([&] { return tasks / bench::seconds_of_empty_tasks(tasks); }));
    efficiency("efficiency_7ms", 7e-3, effort.of(200));
    efficiency("efficiency_1ms", 1e-3, effort.of(1'000));
    efficiency("efficiency_100us", 1e-4, effort.of(10'000));
  }

  static double remote(int times) {
    const auto there = slipway::on({.on_rank = slipway::RankId(1)});
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) slipway::get(slipway::submit<&bench::nothing>(there, i));
    return bench::seconds_since(start) / times;
  }

  // The work takes as long by hand as both halves at once do.
  void efficiency(const char* name, double seconds, int tasks) {
    const std::uint64_t steps = bench::steps_of(seconds);
    bench::print_figure(name, bench::median([&] {
                          const double by_hand = dealt_out(tasks, steps);
                          return by_hand / bench::seconds_of_tasks(tasks, steps);
                        }));
  }
  double dealt_out(int tasks, std::uint64_t steps) {
    const auto start = Clock::now();
    std::vector<slipway::Future<std::uint64_t>> sums;
    for (const auto& half : halves) {
      sums.push_back(half.call<&Half::work>(tasks / static_cast<int>(halves.size()), steps));
    }
    for (auto& sum : sums) sum.get();
    return bench::seconds_since(start);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  const bench::Effort effort = bench::effort_from(argc, argv);
  slipway::Program program("bench_spread");
  std::vector<slipway::Handle<Half>> halves;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    halves.push_back(
        program.with({.wishes = {.on_rank = slipway::RankId(rank)}}).node<Half>("half" + std::to_string(rank)));
  }
  program.with({.resources = {.cpus = 0}, .wishes = {.on_rank = slipway::RankId(0)}})
      .node<Submitter>("submitter", halves, effort);
  return slipway::launch(program, options);
}
