// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/parallel.hpp"

#include <algorithm>

#include "slipway/tasks/task_system.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

// Long enough for another rank to be worth the way, short enough for the last ones to end together.
constexpr std::uint64_t wanted_nanoseconds = 2'000'000;
constexpr std::uint64_t indexes_between_looks = 32;

}  // namespace

ChunkSizes::ChunkSizes(std::uint64_t count, std::uint64_t fixed, std::size_t cores)
    : count_(count), fixed_(fixed), cores_(std::max<std::size_t>(cores, 1)) {}

std::pair<std::uint64_t, std::uint64_t> ChunkSizes::next() {
  std::uint64_t size = fixed_;
  if (fixed_ == 0 && indexes_ > 0) {
    const std::uint64_t mean = std::max<std::uint64_t>(static_cast<std::uint64_t>(took_) / indexes_, 1);
    size = std::min(wanted_nanoseconds / mean, left() / (2 * cores_));
  }
  const std::uint64_t first = next_;
  next_ += std::clamp<std::uint64_t>(size, 1, left());
  return {first, next_};
}

void ChunkSizes::note(std::uint64_t indexes, std::int64_t took) {
  indexes_ += indexes;
  took_ += took;
}

void end_if_unwanted(const TaskContext& task, std::uint64_t index) {
  if (index % indexes_between_looks == 0 && task.stop_requested())
    throw Cancelled("the loop has ended", HandlerRan::maybe);
}

std::size_t cores_for_tasks() {
  std::int64_t cores = 0;
  for (const RankCapacity& rank : TaskSystem::of_this_thread().parts().capacities) cores += rank.cpus;
  return std::max<std::size_t>(static_cast<std::size_t>(cores / TaskAsks::unit), 1);
}

}  // namespace slipway::detail
