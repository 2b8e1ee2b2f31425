// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "slipway/slipway.hpp"
#include "slipway/testing.hpp"

// Ways to run one program of a test: one rank and several, real threads and seeds.
namespace slipway::test {

using namespace std::chrono_literals;
using testing::Conditions;
using testing::Running;

inline NodeOptions on_rank(std::uint32_t rank) {
  NodeOptions options;
  options.wishes.on_rank = RankId(rank);
  return options;
}

// Two nodes on one rank of one, and on two ranks; each with real threads and under seeds. `scenario(setup)` runs a
// program. With `ranks` below 2 nodes go where they must: use `other(setup)` as the rank of what is to be remote.
inline std::uint32_t other(const Conditions& setup) { return setup.ranks - 1; }

template <class F>
void everywhere(F&& scenario, std::uint32_t seeds = 10) {
  for (const std::uint32_t ranks : {1U, 2U}) {
    for (const bool serialize : {false, true}) {
      if (serialize && ranks > 1) continue;
      SCOPED_TRACE(std::to_string(ranks) + " ranks, real threads" + (serialize ? ", serialize_local" : ""));
      scenario(Conditions{.ranks = ranks, .serialize_local = serialize});
      if (::testing::Test::HasFailure()) return;
    }
  }
  testing::for_each_seed(seeds, [&](std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    scenario(
        Conditions{.ranks = 1 + static_cast<std::uint32_t>(seed % 2), .seed = seed, .serialize_local = seed % 4 == 0});
    return !::testing::Test::HasFailure();
  });
}

// For what depends on time limits: `attempt(factor)` says whether all went as it should, with every time multiplied by
// the factor. With real threads a busy machine may come too late, and it is tried again more slowly; under a seed time
// is virtual, and once must do.
template <class F>
void with_patience(const Conditions& setup, F&& attempt) {
  for (int factor = 1; factor <= (setup.seed ? 1 : 64); factor *= 2) {
    if (attempt(factor) || ::testing::Test::HasFailure()) return;
  }
  ADD_FAILURE() << "it did not go as it should, however slowly";
}

template <class Exception, class F>
bool throws(F&& f) {
  try {
    f();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

}  // namespace slipway::test
