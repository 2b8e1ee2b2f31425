// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "adam.hpp"
#include "cart_pole.hpp"

// An evolution strategy with common random numbers (Salimans et al., arXiv 1703.03864): the noise of a pair is drawn
// again from its number wherever it is wanted, so that only the policy and two rewards a pair cross the network.
namespace evolution {

inline constexpr float noise_scale = 0.3F;

// The rewards of the policy plus and minus the noise of one pair.
struct PairReward {
  int pair = 0;
  double plus = 0;
  double minus = 0;
};

inline std::vector<float> pair_noise(std::uint64_t generation, int pair) {
  std::seed_seq seeds{static_cast<std::uint32_t>(generation), static_cast<std::uint32_t>(pair)};
  std::mt19937 random(seeds);
  std::normal_distribution<float> normal;
  std::vector<float> noise(policy_size);
  for (float& value : noise) value = normal(random);
  return noise;
}

// Both episodes of one pair; all pairs of a generation see the same starts.
inline PairReward evaluate_pair(std::span<const float> policy, std::uint64_t generation, int pair) {
  const std::vector<float> noise = pair_noise(generation, pair);
  std::vector<float> plus(policy.begin(), policy.end());
  std::vector<float> minus = plus;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    plus[i] += noise_scale * noise[i];
    minus[i] -= noise_scale * noise[i];
  }
  constexpr std::uint64_t episodes = 2;
  PairReward result{.pair = pair};
  for (std::uint64_t episode = 0; episode < episodes; ++episode) {
    const std::uint64_t start = generation * episodes + episode;
    result.plus += run_episode(plus, start).reward / episodes;
    result.minus += run_episode(minus, start).reward / episodes;
  }
  return result;
}

// The policy and the step that improves it from the rewards that came in; missing pairs only make the step noisier.
class Search {
 public:
  Search() : policy_(policy_size) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 0.05F);
    for (float& weight : policy_) weight = normal(random);
  }

  const std::vector<float>& policy() const { return policy_; }
  std::uint64_t generation() const { return generation_; }

  void update(std::vector<PairReward> rewards) {
    std::ranges::sort(rewards, {}, &PairReward::pair);  // the same sum in whichever order they came
    const std::vector<double> ranks = centred_ranks(rewards);
    std::vector<double> gradient(policy_size);
    for (std::size_t i = 0; i < rewards.size(); ++i) {
      const std::vector<float> noise = pair_noise(generation_, rewards[i].pair);
      const double weight = (ranks[2 * i] - ranks[2 * i + 1]) / (2 * noise_scale * static_cast<double>(rewards.size()));
      for (std::size_t k = 0; k < policy_size; ++k) gradient[k] += weight * noise[k];
    }
    ++generation_;
    constexpr double rate = 0.2;
    if (!rewards.empty()) adam_.climb(policy_, gradient, rate);
  }

  // The share of `starts` fixed starts, none of them used in training, from which the policy solves the task.
  double solved_share(int starts) const {
    constexpr std::uint64_t first = 1'000'000'000;
    int solved = 0;
    for (int i = 0; i < starts; ++i)
      solved += run_episode(policy_, first + static_cast<std::uint64_t>(i)).solved ? 1 : 0;
    return static_cast<double>(solved) / starts;
  }

 private:
  // Rewards replaced by their ranks, -0.5 to 0.5, so that no single lucky one pulls the policy away.
  static std::vector<double> centred_ranks(const std::vector<PairReward>& rewards) {
    std::vector<double> values;
    for (const PairReward& reward : rewards) values.insert(values.end(), {reward.plus, reward.minus});
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      ranks[order[i]] = static_cast<double>(i) / static_cast<double>(order.size() - 1) - 0.5;
    }
    return ranks;
  }

  std::vector<float> policy_;
  Adam adam_;
  std::uint64_t generation_ = 0;
};

}  // namespace evolution
