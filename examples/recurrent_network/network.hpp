// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

// A deep echo state network (Gallicchio, Micheli and Pedrelli, Neurocomputing 268, 2017): layers of recurrent units
// whose weights are drawn once, and a linear read-out that is learned by ridge regression. Plain values and functions;
// nothing of slipway.
namespace recurrent {

using Array = Eigen::ArrayXXf;  // a column for each series
using Matrix = Eigen::MatrixXf;

inline constexpr int ahead = 10;  // steps: so far is predicted
inline constexpr double ridge = 1e-4;
inline constexpr int warm_up = 50;  // steps until the units have forgotten how they began

// A row for each step, about 0 on the mean.
struct Series {
  Array values;
  Array at(int step) const { return values.row(step); }
};

// The equation of Mackey and Glass with a delay of 17, a step at a time from random beginnings: chaos.
inline Series random_series(int count, int steps, std::uint64_t seed) {
  constexpr int delay = 17;
  constexpr int settled = 200;
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> beginning(0.5F, 1.5F);
  Array values = Array::NullaryExpr(settled + steps + ahead, count, [&] { return beginning(random); });
  for (Eigen::Index step = delay; step + 1 < values.rows(); ++step) {
    const auto late = values.row(step - delay);
    values.row(step + 1) = 0.9F * values.row(step) + 0.2F * late / (1 + late.pow(10));
  }
  return {values.bottomRows(steps + ahead) - 0.9F};
}

// Of one layer: a row for each unit; a column for each value from below, each unit one step before, and a constant.
inline Matrix random_weights(int inputs, int units, std::uint64_t seed) {
  constexpr float fading = 0.9F;  // less than 1: echoes die out
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Matrix weights = Matrix::NullaryExpr(units, inputs + units + 1, [&] { return normal(random); });
  weights.leftCols(inputs) /= std::sqrt(static_cast<float>(inputs));
  weights.middleCols(inputs, units) *= fading / std::sqrt(static_cast<float>(units));
  weights.rightCols(1) *= 0.1F;
  return weights;
}

// How a layer of so many units begins.
inline Array silence(int units, const Series& series) { return Array::Zero(units, series.values.cols()); }

// One layer makes one step: it sees what the layer below says now, and what it said itself before.
inline Array cell(const Matrix& weights, const Array& below, const Array& before) {
  Matrix inputs(weights.cols(), below.cols());
  inputs << below.matrix(), before.matrix(), Matrix::Ones(1, below.cols());
  const Array sums = (weights * inputs).array();
  return 0.5F * before + 0.5F * sums.tanh();
}

// All that regression needs to know of some series: sums over the steps after the warm-up.
struct Moments {
  Eigen::MatrixXd states;
  Eigen::VectorXd products;  // of states and answers
  double answers = 0;        // squared
};

// `states`: of the last layer, step by step. The answer is what the series will be some steps later.
inline Moments moments(const std::vector<Array>& states, const Series& series) {
  const Eigen::Index units = states[0].rows();
  Moments sum{Eigen::MatrixXd::Zero(units, units), Eigen::VectorXd::Zero(units)};
  for (int step = warm_up; step < static_cast<int>(states.size()); ++step) {
    const Eigen::MatrixXd state = states[static_cast<std::size_t>(step)].matrix().cast<double>();
    const Eigen::VectorXd answer = series.at(step + ahead).matrix().cast<double>().transpose();
    sum.states += state * state.transpose();
    sum.products += state * answer;
    sum.answers += answer.squaredNorm();
  }
  return sum;
}

// Learns the read-out from all parts but the last, and predicts that one. Gives the root mean square of what it
// predicts wrongly, as a share of that of the series.
inline double test_error(const std::vector<Moments>& parts) {
  Moments sum = parts[0];
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    sum.states += parts[i].states;
    sum.products += parts[i].products;
  }
  sum.states.diagonal().array() += ridge;
  const Eigen::VectorXd read_out = sum.states.llt().solve(sum.products);
  const Moments& test = parts.back();
  const double wrong = read_out.dot(test.states * read_out) - 2 * read_out.dot(test.products) + test.answers;
  return std::sqrt(std::max(wrong, 0.0) / test.answers);
}

}  // namespace recurrent
