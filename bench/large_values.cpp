// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <slipway/slipway.hpp>
#include <string>
#include <vector>

#include "effort.hpp"
#include "measure.hpp"

// Large values and the tasks that need them, on two ranks: one that was put, for a task on the other rank, in the shape
// of bench/raw_arrays.cpp; and those that the other rank has made, for tasks that go to them, or must not. Flag:
// --effort PERCENT.
namespace {

using bench::Clock;
using Array = std::vector<char>;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
const auto here = slipway::on({.on_rank = slipway::RankId(0)});
const auto there = slipway::on({.on_rank = slipway::RankId(1)});

Array make(std::size_t size) { return Array(size, 'x'); }
char look(const Array& array) { return array.back(); }

struct Submitter {
  bench::Effort effort;

  void run() {
    bench::print_figure("put_gb_per_s", bench::median([&] { return put(effort.of(8)); }));
    for (const std::size_t size : {10, 100}) {
      print_rate("there", slipway::on({}), size);
      print_rate("here", here, size);
    }
  }

  void print_rate(const std::string& where, const slipway::On& on, std::size_t mebibytes) const {
    const std::string name = where + "_" + std::to_string(mebibytes) + "mib_per_s";
    bench::print_figure(name.c_str(), bench::median([&] { return per_second(on, mebibytes, effort.of(4)); }));
  }

  static double put(int times) {
    constexpr std::size_t size = 64 * mebibyte;
    std::vector<slipway::Ref<Array>> refs;
    for (int i = 0; i < times; ++i) refs.push_back(slipway::put(make(size)));
    const auto start = Clock::now();
    for (const auto& ref : refs) slipway::get(slipway::submit<&look>(there, ref));
    return static_cast<double>(size) * times / bench::seconds_since(start) / 1e9;
  }

  static double per_second(const slipway::On& where, std::size_t mebibytes, int times) {
    std::vector<slipway::Ref<Array>> refs;
    for (int i = 0; i < times; ++i) refs.push_back(slipway::submit<&make>(there, mebibytes * mebibyte));
    static_cast<void>(slipway::wait(refs));
    const auto start = Clock::now();
    for (const auto& ref : refs) slipway::get(slipway::submit<&look>(where, ref));
    return times / bench::seconds_since(start);
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  const bench::Effort effort = bench::effort_from(argc, argv);
  slipway::Program program("bench_large_values");
  program.with({.resources = {.cpus = 0}, .wishes = {.on_rank = slipway::RankId(0)}})
      .node<Submitter>("submitter", effort);
  return slipway::launch(program, options);
}
