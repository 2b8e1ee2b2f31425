// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <slipway/slipway.hpp>
#include <string>
#include <vector>

#include "effort.hpp"
#include "task_times.hpp"

// Tasks that do nothing, on the rank that submits them. Flag: --effort PERCENT.
namespace {

using bench::Clock;

int count(const std::vector<int>& values) { return static_cast<int>(values.size()); }

// Keeps a pool thread, so that what is submitted meanwhile stays in the queue.
std::atomic<bool> released{false};
void hold() {
  while (!released) slipway::seam::sleep_until(slipway::seam::now() + 1'000'000);
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

struct Submitter {
  bench::Effort effort;

  void run() {
    const int tasks = effort.of(100'000);
    bench::print_figure("create_us", 1e6 * bench::median([&] { return create(effort.of(10'000)); }));
    bench::print_figure("get_finished_us", 1e6 * bench::median([&] { return get_finished(effort.of(10'000)); }));
    bench::print_figure("submit_to_value_us", 1e6 * bench::median([&] { return submit_to_value(effort.of(2'000)); }));
    bench::print_figure("tasks_per_s", bench::median([&] { return tasks / bench::seconds_of_empty_tasks(tasks); }));
    bench::print_figure("wait_for_one_us", 1e6 * bench::median([&] { return wait_for_one(1'000); }));
    bench::print_figure("drain_1000_ms", 1e3 * bench::median([&] { return drain_by_waits(1'000); }));
    bench::print_figure("arguments_10000_s", bench::median([&] { return many_arguments(10'000); }));
    bench::print_figure("get_10000_s", bench::median([&] { return bench::seconds_of_empty_tasks(10'000); }));
    queue_many(effort.of(1'000'000));
  }

  // More than ever before in this process, so that all of their memory is new.
  static void queue_many(int tasks) {
    constexpr int holders = 64;
    for (int i = 0; i < holders; ++i) slipway::submit<&hold>();
    const std::int64_t before = resident_bytes();
    const auto start = Clock::now();
    auto refs = bench::submit_empty(tasks);
    const std::int64_t after = resident_bytes();
    released = true;
    slipway::get(std::move(refs));
    bench::print_figure("queue_and_run_s", bench::seconds_since(start));
    bench::print_figure("bytes_a_queued_task", static_cast<double>(after - before) / tasks);
  }

  static double create(int tasks) {
    const auto start = Clock::now();
    const auto refs = bench::submit_empty(tasks);
    const double seconds = bench::seconds_since(start);
    slipway::get(refs);
    return seconds / tasks;
  }
  static double get_finished(int times) {
    const auto refs = bench::submit_empty(times);
    slipway::get(refs);
    int sum = 0;
    const auto start = Clock::now();
    for (const auto& ref : refs) sum += slipway::get(ref);
    const double seconds = bench::seconds_since(start);
    return sum < 0 ? 0 : seconds / times;
  }
  static double submit_to_value(int times) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) slipway::get(slipway::submit<&bench::nothing>(i));
    return bench::seconds_since(start) / times;
  }
  static double wait_for_one(int refs) {
    slipway::WaitSet<int> waiting(bench::submit_empty(refs));
    slipway::seam::sleep_until(slipway::seam::now() + 20'000'000);  // all are there
    const auto start = Clock::now();
    for (int i = 0; i < refs; ++i) waiting.wait({.count = 1});
    return bench::seconds_since(start) / refs;
  }
  static double drain_by_waits(int refs) {
    const auto start = Clock::now();
    slipway::WaitSet<int> waiting(bench::submit_empty(refs));
    while (!waiting.empty()) waiting.wait({.count = 1});
    return bench::seconds_since(start);
  }
  static double many_arguments(int refs) {
    const auto start = Clock::now();
    slipway::get(slipway::submit<&count>(bench::submit_empty(refs)));
    return bench::seconds_since(start);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  const bench::Effort effort = bench::effort_from(argc, argv);
  slipway::Program program("bench_tasks");
  program.node<Submitter>("submitter", effort);
  return slipway::launch(program, options);
}
