// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <slipway/slipway.hpp>
#include <string>
#include <vector>

#include "effort.hpp"

// What eight ranks cost while the only worker sleeps for 30 s, all together, in percent of one core.
// Flag: --effort PERCENT.
namespace {

constexpr std::uint32_t ranks = 8;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

struct Meter {
  double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
};

struct Sleeper {
  std::vector<slipway::Handle<Meter>> meters;
  bench::Effort effort;

  void run(slipway::Context& context) {
    context.sleep_for(std::chrono::milliseconds(effort.of(1000)));  // what the start costs is not idling
    const auto start = bench::Clock::now();
    const double before = cpu_seconds();
    context.sleep_for(std::chrono::milliseconds(effort.of(30'000)));
    const double used = cpu_seconds() - before;
    bench::print_figure("idle_percent", 100 * used / bench::seconds_since(start));
  }

  double cpu_seconds() const {
    double sum = 0;
    for (const auto& meter : meters) sum += meter.get<&Meter::cpu_seconds>();
    return sum;
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  const bench::Effort effort = bench::effort_from(argc, argv);

  slipway::Program program("bench_idle");
  std::vector<slipway::Handle<Meter>> meters;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const slipway::NodeOptions there{.wishes = {.on_rank = slipway::RankId(rank)}};
    meters.push_back(program.with(there).node<Meter>("meter" + std::to_string(rank)));
  }
  program.with({.wishes = {.on_rank = slipway::RankId(0)}}).node<Sleeper>("sleeper", meters, effort);
  return slipway::launch(program, options);
}
