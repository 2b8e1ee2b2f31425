// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "resource_ledger.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "slipway/tasks/task.hpp"

namespace slipway::detail {

ResourceLedger::ResourceLedger(const RankCapacity& capacity)
    : free_(capacity),
      memory_known_(capacity.memory > 0),
      free_gpus_(static_cast<std::size_t>(capacity.gpus / TaskAsks::unit), TaskAsks::unit) {}

bool ResourceLedger::try_take(TaskBase& task) {
  const TaskAsks& asks = *task.asks();
  if (memory_known_ && asks.memory > free_.memory) return false;
  for (const auto& [name, amount] : asks.named) {
    if (amount > free_.of(name)) return false;
  }
  std::vector<std::uint32_t> gpus;
  const std::int64_t of_each = std::min(asks.gpus, TaskAsks::unit);
  const auto wanted = static_cast<std::size_t>((asks.gpus + TaskAsks::unit - 1) / TaskAsks::unit);
  // Of several, the one that has least left is filled first, so that whole ones stay for who needs them.
  while (gpus.size() < wanted) {
    std::size_t best = free_gpus_.size();
    for (std::size_t gpu = 0; gpu < free_gpus_.size(); ++gpu) {
      if (free_gpus_[gpu] < of_each || std::find(gpus.begin(), gpus.end(), gpu) != gpus.end()) continue;
      if (best == free_gpus_.size() || free_gpus_[gpu] < free_gpus_[best]) best = gpu;
    }
    if (best == free_gpus_.size()) return false;
    gpus.push_back(static_cast<std::uint32_t>(best));
  }
  for (const std::uint32_t gpu : gpus) free_gpus_[gpu] -= of_each;
  if (memory_known_) free_.memory -= asks.memory;
  change_named(asks, -1);
  for (std::uint32_t& gpu : gpus) gpu += free_.first_gpu;
  task.grant(std::move(gpus));
  return true;
}

bool ResourceLedger::take(TaskBase& task) {
  const std::lock_guard guard(lock_);
  if (waiting_.empty() && try_take(task)) return true;
  waiting_.push_back(&task);
  return false;
}

void ResourceLedger::change_named(const TaskAsks& asks, std::int64_t sign) {
  for (auto& [name, free] : free_.named) {
    for (const auto& [asked, amount] : asks.named) {
      if (asked == name) free += sign * amount;
    }
  }
}

void ResourceLedger::give_back(TaskBase& task) {
  const TaskAsks& asks = *task.asks();
  const std::lock_guard guard(lock_);
  for (const std::uint32_t gpu : task.gpus()) {
    free_gpus_[gpu - free_.first_gpu] += std::min(asks.gpus, TaskAsks::unit);
  }
  if (memory_known_) free_.memory += asks.memory;
  change_named(asks, 1);
}

std::vector<ResourceLedger::Turn> ResourceLedger::next_turns() {
  const std::lock_guard guard(lock_);
  std::vector<Turn> turns;
  while (!waiting_.empty()) {
    TaskBase* const next = waiting_.front();
    const bool dropped = next->is_over();
    if (!dropped && !try_take(*next)) break;
    turns.push_back({next, !dropped});
    waiting_.pop_front();
  }
  return turns;
}

std::deque<TaskBase*> ResourceLedger::take_waiting() {
  const std::lock_guard guard(lock_);
  return std::exchange(waiting_, {});
}

}  // namespace slipway::detail
