// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "parameter_server/classifier.hpp"

// A training of the digits' classifier that can stop after any epoch and be taken up again. What it has learned is a
// function of its configuration and the number of epochs. Plain values and functions; nothing of slipway.
namespace search {

struct Model {
  std::uint64_t trial = 0;  // its number, which seeds all that is random
  int hidden = 0;           // units
  int batch = 0;            // images
  float rate = 0;           // of learning
  std::uint64_t epochs = 0;
  std::vector<float> parameters;
  double accuracy = 0;  // on images that it was not trained on
  bool operator==(const Model&) const = default;
};

// With a configuration from anywhere between the usual and the hopeless, evenly by logarithms.
inline Model beginner(std::uint64_t trial) {
  std::mt19937_64 random(trial);
  const auto between = [&random](double least, double most) {
    return static_cast<float>(least * std::pow(most / least, static_cast<double>(random() >> 11) * 0x1p-53));
  };
  Model model{.trial = trial,
              .hidden = static_cast<int>(between(8, 256)),
              .batch = static_cast<int>(between(8, 128)),
              .rate = between(0.001, 4)};
  model.parameters = digits::Classifier(model.hidden).initial_parameters(trial);
  return model;
}

// As many batches as have about as many images as there are.
inline void train_epoch(Model& model, const digits::Images& images) {
  digits::Classifier classifier(model.hidden);
  std::mt19937_64 random(1'000'000 * model.trial + model.epochs++);
  std::vector<float> gradient(model.parameters.size());
  for (int trained = 0; trained < images.count(); trained += model.batch) {
    classifier.gradient(model.parameters, images, model.batch, random, gradient);
    // With limits, so that the parameters of hopeless ones stay numbers.
    for (std::size_t i = 0; i < gradient.size(); ++i)
      model.parameters[i] -= std::clamp(model.rate * gradient[i], -1.0F, 1.0F);
  }
}

inline double accuracy(const Model& model, const digits::Images& images) {
  return digits::Classifier(model.hidden).score(model.parameters, images).accuracy;
}

}  // namespace search
