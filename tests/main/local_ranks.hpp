// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/base/seeded_scheduler.hpp"
#include "slipway/local/local_transport.hpp"

// Ranks as threads, in real time and under seeds.
//
// SLIPWAY_TEST_SEEDS (100): how many seeds; SLIPWAY_TEST_FIRST_SEED (0): from where on.
namespace slipway::test {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

using RankBody = std::function<void(LocalWorld&, Transport&)>;

inline void run_rank(LocalWorld& world, Transport& transport, const RankBody& body) {
  try {
    body(world, transport);
    transport.close();
  } catch (const std::exception& error) {
    // Left open: its peers find it lost, and end.
    ADD_FAILURE() << "rank " << transport.rank().value() << " of " << transport.size() << ": " << error.what();
  }
}

inline void run_local_world(std::uint32_t size, const LocalWorldOptions& options, const RankBody& body) {
  LocalWorld world(size, options);
  std::vector<seam::Thread> threads;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    threads.emplace_back("rank " + std::to_string(rank), [&world, &body, rank] {
      const auto transport = world.transport(RankId(rank));
      run_rank(world, *transport, body);
    });
  }
}

// Calls `run` under each seed, until one fails; says then how to repeat it.
inline void run_under_seeds(const std::function<void(std::uint64_t seed)>& run) {
  const std::uint64_t first = number_from_environment("SLIPWAY_TEST_FIRST_SEED", 0);
  const std::uint64_t count = number_from_environment("SLIPWAY_TEST_SEEDS", 100);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    {
      SeededRun seeded(seed);
      run(seed);
    }
    if (!testing::Test::HasFailure()) continue;
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    ADD_FAILURE() << "under seed " << seed << "; repeat it by SLIPWAY_TEST_FIRST_SEED=" << seed
                  << " SLIPWAY_TEST_SEEDS=1 and --gtest_filter=" << test->test_suite_name() << '.' << test->name();
    return;
  }
}

// In real time with 1, 2, 3 and 5 ranks, then under each seed with one of these.
inline void run_on_local_ranks(const LocalWorldOptions& options, const RankBody& body) {
  constexpr std::array<std::uint32_t, 4> sizes{2, 3, 5, 1};
  const auto run_size = [&](std::uint32_t size) {
    LocalWorldOptions fitting = options;
    fitting.fake_hosts = std::min(options.fake_hosts, size);
    run_local_world(size, fitting, body);
  };
  for (const std::uint32_t size : sizes) {
    run_size(size);
    if (testing::Test::HasFailure()) return;
  }
  run_under_seeds([&](std::uint64_t seed) { run_size(sizes[seed % 3]); });
}

}  // namespace slipway::test
