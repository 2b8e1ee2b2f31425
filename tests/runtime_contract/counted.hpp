// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <numeric>
#include <vector>

#include "slipway/rpc/archive.hpp"

namespace slipway::test {

// An array that counts the copies that are made of it. It travels like a vector.
struct Counted {
  explicit Counted(std::size_t size = 0, double value = 1.5) : data(size, value) {}
  Counted(const Counted& other) : data(other.data) { ++copies; }
  Counted(Counted&&) noexcept = default;
  Counted& operator=(const Counted& other) {
    data = other.data;
    ++copies;
    return *this;
  }
  Counted& operator=(Counted&&) noexcept = default;
  ~Counted() = default;
  double sum() const { return std::accumulate(data.begin(), data.end(), 0.0); }
  void slipway_encode(Writer& writer) const { encode(writer, data); }
  void slipway_decode(Reader& reader) { decode(reader, data); }

  std::vector<double> data;
  static inline std::atomic<int> copies{0};
};

}  // namespace slipway::test
