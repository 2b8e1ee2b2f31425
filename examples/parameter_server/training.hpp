// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "classifier.hpp"
#include "flags.hpp"

// One training run: its options, and what it leaves behind.
namespace digits {

struct Training {
  int trainers = 3;
  int shards = 2;
  int updates = 8000;    // applied to each shard
  int batch = 32;        // images a gradient
  int hidden = 128;      // units of the hidden layer
  int evaluations = 10;  // on held-out images, besides the one before the first update
  float learning_rate = 0.1F;
  float momentum = 0.5F;
  bool synchronous = false;
  std::string data = SLIPWAY_EXAMPLE_DATA "/digits.h5";

  // Of the flags that are named as the members (--mode sync or async). Throws std::runtime_error.
  static Training from_flags(examples::Flags& flags);

  // The part of the parameters, or of a gradient, that a shard keeps.
  std::span<float> part(std::vector<float>& values, std::size_t shard) const;
  std::span<const float> part(const std::vector<float>& values, std::size_t shard) const;
  std::vector<float> initial_parameters() const { return Classifier(hidden).initial_parameters(1); }
  Optimizer optimizer(std::size_t shard) const;
  // The gradients of one trainer: in synchronous mode all trainers together make one update.
  int gradients(int trainer) const;
  // The updates that the parameters have had when they are evaluated.
  int evaluated_version(int evaluation) const;
};

// Scores in the order of the updates, and the parameters of the last one.
struct Result {
  std::vector<std::int64_t> updates;  // applied so far
  std::vector<double> seconds;        // since the start
  std::vector<double> loss;           // mean cross entropy on the held-out images
  std::vector<double> accuracy;       // share of the held-out images named rightly
  std::vector<float> parameters;

  // Adds to the curves; gives the line to print.
  std::string add(int version, double since_start, Score score);
  // How fast it was, in one line.
  std::string summary(const Training& training) const;
};

// Writes an HDF5 file by way of a temporary one, so that it is complete or absent. Throws std::runtime_error. One
// thread at a time calls HDF5.
void save(const Training& training, const Result& result, const std::filesystem::path& path);

}  // namespace digits
