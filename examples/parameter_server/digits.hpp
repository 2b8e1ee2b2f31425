// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

// The handwritten digits of examples/data, as matrices.
namespace digits {

inline constexpr int pixels = 64;
inline constexpr int classes = 10;

struct Images {
  Eigen::MatrixXf pixels;            // one column an image, 0 to 1
  std::vector<std::uint8_t> labels;  // the digit of each column
  int count() const { return static_cast<int>(labels.size()); }
};

struct Digits {
  Images training;
  Images held_out;
};

// Reads examples/data/digits.h5. Throws std::runtime_error that names the file. One thread at a time.
Digits load(const std::string& path);

// What one training run leaves behind.
struct Curve {
  std::vector<std::int64_t> updates;  // applied to the parameters so far
  std::vector<double> seconds;        // since the start
  std::vector<double> loss;           // mean cross entropy on the held-out images
  std::vector<double> accuracy;       // right answers among the held-out images, 0 to 1
};

struct Result {
  std::string mode;  // "asynchronous" or "synchronous"
  std::int64_t trainers = 0;
  std::int64_t shards = 0;
  std::int64_t batch = 0;
  std::int64_t hidden = 0;
  double learning_rate = 0;
  double momentum = 0;
  double seconds = 0;
  Curve curve;
  std::vector<float> parameters;
};

// Writes `path` by way of a temporary file, so that it is complete or absent. Throws std::runtime_error.
// One thread at a time.
void save(const Result& result, const std::string& path);

}  // namespace digits
