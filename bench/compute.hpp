// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "measure.hpp"

// Work that keeps a core busy for a known time, and touches no memory.
namespace bench {

inline std::uint64_t compute(std::uint64_t steps) {
  std::uint64_t state = steps | 1;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

// So many take about this long.
inline std::uint64_t steps_of(double seconds) {
  constexpr std::uint64_t probe = 10'000'000;
  const double time = median([] {
    const auto start = Clock::now();
    return compute(probe) == 0 ? 0 : seconds_since(start);
  });
  return static_cast<std::uint64_t>(seconds / time * static_cast<double>(probe));
}

}  // namespace bench
