// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "slipway/base/recycled.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

class ObjectPart;

// The values that a task still waits for. The last argument first: it was mostly submitted last, and when it is there
// the others are as well, so that the task is notified once. A few need no memory beside this block.
class MissingValues : public recycled::Object {
 public:
  // `bytes`: of the sources of inputs whose outcome is there; 0: they are inputs.
  MissingValues(std::span<ObjectPart* const> values, std::uint64_t bytes)
      : bytes_(bytes), began_(bytes == 0 ? 0 : seam::now()), left_(values.size()) {
    if (left_ <= few_.size()) {
      std::copy(values.begin(), values.end(), few_.begin());
    } else {
      many_.assign(values.begin(), values.end());
    }
  }

  bool are_sources() const { return bytes_ != 0; }
  std::uint64_t bytes() const { return bytes_; }
  seam::Time began() const { return began_; }
  bool empty() const { return left_ == 0; }
  std::size_t size() const { return left_; }
  // The one to wait for now is the last.
  ObjectPart* next() const { return at(left_ - 1); }
  void pop() { --left_; }
  ObjectPart* at(std::size_t index) const { return many_.empty() ? few_[index] : many_[index]; }

 private:
  const std::uint64_t bytes_;
  const seam::Time began_;
  std::size_t left_;
  std::array<ObjectPart*, 6> few_;
  std::vector<ObjectPart*> many_;
};

}  // namespace slipway::detail
