// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "digits.hpp"

// A classifier with one hidden layer, its gradient, and the optimizer that a shard of its parameters runs.
namespace digits {

struct Score {
  double loss = 0;      // mean cross entropy
  double accuracy = 0;  // 0 to 1
};

// The parameters are one flat vector, cut anywhere into shards: W1 (hidden x 64), b1, W2 (10 x hidden), b2, by columns.
class Classifier {
 public:
  explicit Classifier(int hidden) : hidden_(hidden) {}

  std::size_t parameter_count() const {
    return static_cast<std::size_t>(hidden_ * pixels + hidden_ + classes * hidden_ + classes);
  }

  std::vector<float> initial_parameters(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(parameter_count(), 0.0F);
    auto [w1, b1, w2, b2] = layers(values.data());
    for (float& weight : w1.reshaped()) weight = normal(random) * std::sqrt(2.0F / pixels);
    for (float& weight : w2.reshaped()) weight = normal(random) * std::sqrt(2.0F / static_cast<float>(hidden_));
    return values;
  }

  // Draws `batch` of the images at random, varies them a little, and writes the gradient of their mean loss.
  void gradient(std::span<const float> parameters, const Images& images, int batch, std::mt19937_64& random,
                std::span<float> result) {
    draw(images, batch, random);
    const auto [w1, b1, w2, b2] = layers(parameters.data());
    auto [dw1, db1, dw2, db2] = layers(result.data());
    forward(w1, b1, w2, b2, input_);
    for (int column = 0; column < batch; ++column) output_(answers_[static_cast<std::size_t>(column)], column) -= 1.0F;
    output_ /= static_cast<float>(batch);
    dw2.noalias() = output_ * hidden_values_.transpose();
    db2 = output_.rowwise().sum();
    hidden_gradient_.noalias() = w2.transpose() * output_;
    hidden_gradient_ = (hidden_values_.array() > 0.0F).select(hidden_gradient_, 0.0F);
    dw1.noalias() = hidden_gradient_ * input_.transpose();
    db1 = hidden_gradient_.rowwise().sum();
  }

  Score score(std::span<const float> parameters, const Images& images) {
    const auto [w1, b1, w2, b2] = layers(parameters.data());
    forward(w1, b1, w2, b2, images.pixels);
    Score sum;
    for (int column = 0; column < images.count(); ++column) {
      const int answer = images.labels[static_cast<std::size_t>(column)];
      Eigen::Index best = 0;
      output_.col(column).maxCoeff(&best);
      sum.accuracy += best == answer ? 1.0 : 0.0;
      sum.loss -= std::log(std::max(output_(answer, column), 1e-30F));
    }
    return {sum.loss / images.count(), sum.accuracy / images.count()};
  }

 private:
  template <class Matrix, class Vector>
  struct Layers {
    Eigen::Map<Matrix> w1;
    Eigen::Map<Vector> b1;
    Eigen::Map<Matrix> w2;
    Eigen::Map<Vector> b2;
  };

  Layers<const Eigen::MatrixXf, const Eigen::VectorXf> layers(const float* first) const {
    return cut<const Eigen::MatrixXf, const Eigen::VectorXf>(first);
  }
  Layers<Eigen::MatrixXf, Eigen::VectorXf> layers(float* first) const {
    return cut<Eigen::MatrixXf, Eigen::VectorXf>(first);
  }

  template <class Matrix, class Vector, class Float>
  Layers<Matrix, Vector> cut(Float* w1) const {
    Float* b1 = w1 + hidden_ * pixels;
    Float* w2 = b1 + hidden_;
    Float* b2 = w2 + classes * hidden_;
    return {Eigen::Map<Matrix>(w1, hidden_, pixels), Eigen::Map<Vector>(b1, hidden_),
            Eigen::Map<Matrix>(w2, classes, hidden_), Eigen::Map<Vector>(b2, classes)};
  }

  void draw(const Images& images, int batch, std::mt19937_64& random) {
    std::uniform_int_distribution<int> any(0, images.count() - 1);
    input_.resize(pixels, batch);
    answers_.resize(static_cast<std::size_t>(batch));
    for (int column = 0; column < batch; ++column) {
      const int chosen = any(random);
      input_.col(column) = images.pixels.col(chosen);
      smear(input_.col(column), random);
      answers_[static_cast<std::size_t>(column)] = images.labels[static_cast<std::size_t>(chosen)];
    }
  }

  // Smears an image over its neighbours to one of four sides. There are few images: the held-out ones gain one percent.
  template <class Column>
  static void smear(Column image, std::mt19937_64& random) {
    constexpr int right = 1;
    constexpr int down = 8;
    constexpr float strongest = 0.8F;
    const std::uint64_t bits = random();
    const int kept = pixels - ((bits & 1) != 0 ? right : down);
    const float amount = strongest * static_cast<float>(bits >> 40) / static_cast<float>(1 << 24);
    const Eigen::Matrix<float, pixels, 1> before = image;
    image *= 1.0F - amount;
    if ((bits & 2) != 0) {
      image.head(kept) += amount * before.tail(kept);
    } else {
      image.tail(kept) += amount * before.head(kept);
    }
  }

  // Leaves the probabilities of the ten digits in output_, one column an image.
  template <class W, class B>
  void forward(const W& w1, const B& b1, const W& w2, const B& b2, const Eigen::MatrixXf& input) {
    hidden_values_.noalias() = w1 * input;
    hidden_values_ = (hidden_values_.colwise() + b1).cwiseMax(0.0F);
    output_.noalias() = w2 * hidden_values_;
    output_.colwise() += b2;
    for (auto column : output_.colwise()) {
      column = (column.array() - column.maxCoeff()).exp();
      column /= column.sum();
    }
  }

  int hidden_;
  Eigen::MatrixXf input_, hidden_values_, hidden_gradient_, output_;
  std::vector<int> answers_;
};

// One shard of the parameters and what changes it: stochastic gradient descent with momentum, whose learning rate falls
// to zero over `updates`.
class Optimizer {
 public:
  Optimizer(std::vector<float> parameters, float learning_rate, float momentum, int updates)
      : parameters_(std::move(parameters)),
        velocity_(parameters_.size(), 0.0F),
        learning_rate_(learning_rate),
        momentum_(momentum),
        updates_(updates) {}

  void apply(std::span<const float> gradient) {
    const float rate = learning_rate_ * static_cast<float>(updates_ - version_) / static_cast<float>(updates_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      velocity_[i] = momentum_ * velocity_[i] - rate * gradient[i];
      parameters_[i] += velocity_[i];
    }
    ++version_;
  }
  const std::vector<float>& parameters() const { return parameters_; }
  int version() const { return version_; }  // updates so far

 private:
  std::vector<float> parameters_;
  std::vector<float> velocity_;
  float learning_rate_;
  float momentum_;
  int updates_;
  int version_ = 0;
};

}  // namespace digits
