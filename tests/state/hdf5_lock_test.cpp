// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <slipway/slipway.hpp>
#include <slipway/testing.hpp>
#include <string>
#include <vector>

#include "slipway/base/seam.hpp"

namespace slipway {
namespace {

using namespace std::chrono_literals;

// What a library without threads keeps between two calls.
struct Fragile {
  int inside = 0;
  int calls = 0;
  bool broken = false;
  void call() {
    if (++inside != 1) broken = true;
    seam::pause();  // here others go on
    --inside;
    ++calls;
  }
};

void use_fragile(Fragile& fragile) {
  const auto lock = hdf5_lock();
  fragile.call();
  const auto again = hdf5_lock();  // as in a function that does not know its caller
  fragile.call();
}

TEST(Hdf5Lock, OneThreadAtATime) {
  Fragile fragile;
  {
    std::vector<seam::Thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back("user" + std::to_string(i), [&fragile] {
        for (int j = 0; j < 2'000; ++j) use_fragile(fragile);
      });
    }
  }
  EXPECT_FALSE(fragile.broken);
  EXPECT_EQ(fragile.calls, 4 * 2 * 2'000);
}

struct Writer {
  Fragile* file;
  void write() { use_fragile(*file); }
};

// Ranks of one process, and several handlers of a node, share HDF5.
TEST(Hdf5Lock, HandlersOfAllRanksUnderSeeds) {
  const bool good = testing::for_each_seed(20, [](std::uint64_t seed) {
    Fragile file;
    Program program("writers");
    auto writers =
        program.with({.concurrency = 3}).group<Writer>("writer", 4, [&file](int) { return std::tuple(&file); });
    const auto result = testing::run(program, {.ranks = 2, .seed = seed}, [&](testing::Running&) {
      std::vector<Future<void>> written;
      for (int i = 0; i < 5; ++i) {
        for (auto& each : writers.call_all<&Writer::write>()) written.push_back(std::move(each));
      }
      for (auto& each : written) each.get();
    });
    return result.status == 0 && !file.broken && file.calls == 40;
  });
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace slipway
