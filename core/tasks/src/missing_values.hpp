// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "slipway/base/recycled.hpp"

namespace slipway::detail {

class ObjectPart;

// The values that a task still waits for. The last argument first: it was mostly submitted last, and when it is there
// the others are as well, so that the task is notified once. A few need no memory beside this block.
class MissingValues : public recycled::Object {
 public:
  explicit MissingValues(std::span<ObjectPart* const> values) : left_(values.size()) {
    if (left_ <= few_.size()) {
      std::copy(values.begin(), values.end(), few_.begin());
    } else {
      many_.assign(values.begin(), values.end());
    }
  }

  bool empty() const { return left_ == 0; }
  std::size_t size() const { return left_; }
  // The one to wait for now is the last.
  ObjectPart* next() const { return at(left_ - 1); }
  void pop() { --left_; }
  ObjectPart* at(std::size_t index) const { return many_.empty() ? few_[index] : many_[index]; }

 private:
  std::size_t left_;
  std::array<ObjectPart*, 6> few_;
  std::vector<ObjectPart*> many_;
};

}  // namespace slipway::detail
