// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cereal/types/array.hpp>
#include <chrono>
#include <cstdio>
#include <ygm/comm.hpp>

// One-way messages of 64 bytes from rank 0 to rank 1 with YGM, as bench/posts.cpp sends them. Built by run.py --ygm DIR.
namespace {

using Message = std::array<char, 64>;

long noted = 0;

double posts_per_second(ygm::comm& world, int posts) {
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  if (world.rank0()) {
    for (int i = 0; i < posts; ++i) world.async(1, [](const Message&) { ++noted; }, Message{});
  }
  world.barrier();  // all have run
  return posts / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  ygm::comm world(&argc, &argv);
  std::array<double, 9> rates{};
  for (double& rate : rates) rate = posts_per_second(world, 200'000);
  std::nth_element(rates.begin(), rates.begin() + 4, rates.end());
  if (world.rank0()) std::printf("figure posts_per_s %.0f\n", rates[4]);
}
