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

// Reads examples/data/digits.h5. Throws std::runtime_error that names the file. One thread at a time calls HDF5.
Digits load(const std::string& path);

}  // namespace digits
