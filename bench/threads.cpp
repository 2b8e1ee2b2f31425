// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <latch>
#include <slipway/slipway.hpp>
#include <string>
#include <vector>

#include "measure.hpp"
#include "pair.hpp"

// Threads of rank 0 that each wait for a call to rank 1 at the same time. Flag: --effort PERCENT.
namespace {

using bench::Clock;
using Message = std::array<char, 64>;

struct Echo {
  Message reply(const Message& message) { return message; }
};

struct Turn {
  double round_trip_us = 0;
  double calls_per_s = 0;
};

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Caller {
  slipway::Handle<Echo> echo;
  bench::Effort effort;

  void run(slipway::Context& context) {
    for (const int threads : {1, 2, 4}) {
      std::vector<double> trips;
      std::vector<double> rates;
      for (int i = 0; i < 9; ++i) {
        const Turn turn = one_turn(context, threads);
        trips.push_back(turn.round_trip_us);
        rates.push_back(turn.calls_per_s);
      }
      const std::string name = "threads_" + std::to_string(threads);
      bench::print_figure((name + "_round_trip_us").c_str(), median_of(trips));
      bench::print_figure((name + "_calls_per_s").c_str(), median_of(rates));
    }
  }

  Turn one_turn(slipway::Context& context, int threads) {
    std::vector<std::vector<double>> trips(static_cast<std::size_t>(threads));
    std::latch all_here(threads);
    std::latch done(threads);
    const std::chrono::milliseconds length(effort.of(200));
    for (auto& own : trips) {
      context.start_thread([&] {
        all_here.arrive_and_wait();
        own = round_trips_us(length);
        done.count_down();
      });
    }
    done.wait();
    std::vector<double> all;
    for (const auto& own : trips) all.insert(all.end(), own.begin(), own.end());
    const double calls = static_cast<double>(all.size());
    return {median_of(std::move(all)), calls / std::chrono::duration<double>(length).count()};
  }

  std::vector<double> round_trips_us(std::chrono::milliseconds length) const {
    std::vector<double> trips;
    trips.reserve(1'000'000);
    const auto end = Clock::now() + length;
    for (auto start = Clock::now(); start < end;) {
      echo.get<&Echo::reply>(Message{});
      const auto now = Clock::now();
      trips.push_back(std::chrono::duration<double, std::micro>(now - start).count());
      start = now;
    }
    return trips;
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::run_pair<Echo, Caller>("bench_threads", argc, argv); }
