// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>

// What the benchmark programs share. Each prints lines "figure NAME VALUE", which run.py reads.
namespace bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The flag --effort PERCENT: less of it shows that a program works, and measures little.
struct Effort {
  int percent = 100;
  int of(int count) const { return static_cast<int>(std::max<std::int64_t>(1, std::int64_t{count} * percent / 100)); }
};

// The median of nine turns: another job's time slice in one of them does not count.
template <class Turn>
double median(Turn turn) {
  std::array<double, 9> values{};
  for (double& value : values) value = turn();
  std::nth_element(values.begin(), values.begin() + 4, values.end());
  return values[4];
}

// At once, so that a later failure does not hide it.
inline void print_figure(const char* name, double value) {
  std::printf("figure %s %.4f\n", name, value);
  std::fflush(stdout);
}

}  // namespace bench
