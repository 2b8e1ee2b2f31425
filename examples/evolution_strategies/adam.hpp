// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evolution {

// Adam (Kingma and Ba, arXiv 1412.6980), uphill, with a little weight decay.
struct Adam {
  std::vector<double> mean, square;  // of the slopes so far
  std::uint64_t steps = 0;

  void climb(std::vector<float>& policy, const std::vector<double>& gradient, double rate) {
    constexpr double decay = 0.001;
    constexpr double keep_mean = 0.9;
    constexpr double keep_square = 0.99;
    mean.resize(policy.size());
    square.resize(policy.size());
    const auto t = static_cast<double>(++steps);
    for (std::size_t k = 0; k < policy.size(); ++k) {
      const double slope = gradient[k] - decay * policy[k];
      mean[k] = keep_mean * mean[k] + (1 - keep_mean) * slope;
      square[k] = keep_square * square[k] + (1 - keep_square) * slope * slope;
      const double corrected_mean = mean[k] / (1 - std::pow(keep_mean, t));
      const double corrected_square = square[k] / (1 - std::pow(keep_square, t));
      policy[k] += static_cast<float>(rate * corrected_mean / (std::sqrt(corrected_square) + 1e-8));
    }
  }
};

}  // namespace evolution
