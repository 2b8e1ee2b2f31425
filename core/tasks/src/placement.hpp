// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

class ObjectPart;
struct TaskSystemParts;

// How fast values come from other ranks, as measured. Any thread.
class Bandwidth {
 public:
  void note(std::uint64_t bytes, seam::Time time);
  double bytes_per_nanosecond() const { return speed_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> speed_{2};  // until one has come
};

// A large value that a task needs, and the rank that has it.
struct Input {
  RankId rank;
  std::uint64_t bytes = 0;
};

// A rank that may run it: how long tasks wait there.
struct Place {
  RankId rank;
  seam::Time wait = 0;
};

// Where it can begin first: after the wait, and after what that rank lacks has been brought there. Of equals the first.
RankId choose_place(std::span<const Place> places, std::span<const Input> inputs, double bytes_per_nanosecond);
// The same for a task of this rank with these inputs: this rank, or one that has some of them.
RankId best_place(TaskSystemParts& parts, const std::vector<ObjectPart*>& inputs);

}  // namespace slipway::detail
