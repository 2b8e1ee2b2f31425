// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "evolution_strategies/adam.hpp"
#include "evolution_strategies/cart_pole.hpp"

// Learns to act from what rollouts return: they try the policy with some noise added, and without the same noise, and
// the step goes where the better ones lie. Plain values and functions; nothing of slipway.
namespace learning {

using Policy = std::vector<float>;

struct Learner {
  Policy policy;
  double rate = 0.2;
  evolution::Adam adam;
};

// What the policy plus and minus the noise of a seed has got.
struct Return {
  std::uint64_t seed = 0;
  double plus = 0;
  double minus = 0;
};
using Returns = std::vector<Return>;

inline constexpr float noise_scale = 0.3F;

inline Policy noise_of(std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::normal_distribution<float> normal;
  Policy noise(evolution::policy_size);
  for (float& value : noise) value = normal(random);
  return noise;
}

inline Learner beginner(double rate) {
  Learner learner{.policy = noise_of(0xFFFFFFFF), .rate = rate};
  for (float& weight : learner.policy) weight *= 0.05F;
  return learner;
}

// Twenty episodes of 10 s: five noises, each with both signs from two starts.
inline Returns rollout(const Learner& learner, std::uint64_t first_seed) {
  constexpr std::uint64_t noises = 5;
  Returns returns;
  for (std::uint64_t seed = first_seed * noises; seed < (first_seed + 1) * noises; ++seed) {
    const Policy noise = noise_of(seed);
    Policy plus = learner.policy;
    Policy minus = learner.policy;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      plus[i] += noise_scale * noise[i];
      minus[i] -= noise_scale * noise[i];
    }
    Return got{.seed = seed};
    for (const std::uint64_t start : {2 * first_seed, 2 * first_seed + 1}) {
      got.plus += evolution::run_episode(plus, start).reward;
      got.minus += evolution::run_episode(minus, start).reward;
    }
    returns.push_back(got);
  }
  return returns;
}

// One step uphill. The same for any order of the returns.
inline Learner fit(Learner learner, const std::vector<Returns>& all) {
  Returns returns;
  for (const Returns& some : all) returns.insert(returns.end(), some.begin(), some.end());
  std::ranges::sort(returns, {}, &Return::seed);
  double spread = 1e-9;
  for (const Return& got : returns) spread += std::abs(got.plus - got.minus) / static_cast<double>(returns.size());
  std::vector<double> slope(evolution::policy_size);
  for (const Return& got : returns) {
    const Policy noise = noise_of(got.seed);
    // No single lucky one pulls the policy away.
    const double weight = std::clamp((got.plus - got.minus) / spread, -2.0, 2.0) / static_cast<double>(returns.size());
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] += weight * noise[k];
  }
  learner.adam.climb(learner.policy, slope, learner.rate);
  return learner;
}

// How many of ten starts, none of them used in training, the policy solves.
inline int solved_of_ten(const Learner& learner, std::uint64_t ten) {
  int solved = 0;
  for (std::uint64_t start = 10 * ten; start < 10 * (ten + 1); ++start) {
    solved += evolution::run_episode(learner.policy, 1'000'000'000 + start).solved ? 1 : 0;
  }
  return solved;
}

}  // namespace learning
