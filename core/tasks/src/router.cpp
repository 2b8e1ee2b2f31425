// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "router.hpp"

#include <mutex>

#include "slipway/tasks/task.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

// A slot: one runs, one waits there.
constexpr std::uint32_t ahead = 2;
// Of those that ask for cores or a rank only. One that waits holds nothing that others need, so that any number may be
// there at a time; no more than fit into the window of a node.
constexpr std::uint32_t most_away = 2048;

}  // namespace

std::uint32_t Router::room(const TaskAsks& asks, const Shape& shape, RankId rank) const {
  const std::uint32_t slots = parts_.capacities[rank.index()].slots(asks);
  if (slots == 0) return 0;
  if (!asks.has_resources() && rank == parts_.endpoint().rank()) return 1;
  const std::uint32_t window = asks.has_resources() ? ahead * slots : most_away;
  const std::uint32_t away = shape.away[rank.index()];
  return window > away ? window - away : 0;
}

// The rank that is asked for; the one that is near, if it has room; else that with the most room in proportion.
std::optional<RankId> Router::choose(const TaskAsks& asks, const Shape& shape) const {
  if (asks.on_rank != RankId::none) {
    const RankId only(asks.on_rank);
    return room(asks, shape, only) > 0 ? std::optional(only) : std::nullopt;
  }
  if (asks.near_rank < shape.away.size() && room(asks, shape, RankId(asks.near_rank)) > 0) {
    return RankId(asks.near_rank);
  }
  std::optional<RankId> best;
  double least = 0;
  for (std::uint32_t rank = 0; rank < shape.away.size(); ++rank) {
    // This rank first: what stays costs no message.
    const RankId each((rank + parts_.endpoint().rank().value()) % static_cast<std::uint32_t>(shape.away.size()));
    if (room(asks, shape, each) == 0) continue;
    const double load =
        static_cast<double>(shape.away[each.index()]) / parts_.capacities[each.index()].slots(asks);
    if (best && load >= least) continue;
    best = each;
    least = load;
  }
  return best;
}

void Router::route(TaskBase& task) {
  const std::lock_guard guard(lock_);
  Shape& shape = shapes_[*task.asks()];
  if (shape.away.empty()) shape.away.resize(parts_.capacities.size());
  shape.waiting.push_back(&task);
  any_.store(true, std::memory_order_release);
}

std::optional<Router::Routed> Router::next(By by) {
  const std::lock_guard guard(lock_);
  bool any = false;
  for (auto& [asks, shape] : shapes_) {
    if (shape.waiting.empty()) continue;
    any = true;
    const auto rank = choose(asks, shape);
    if (!rank) continue;
    TaskBase* const task = shape.waiting.front();
    if (by == By::desk && *rank != parts_.endpoint().rank() && !task->is_plain()) continue;
    shape.waiting.pop_front();
    ++shape.away[rank->index()];
    return Routed{task, *rank};
  }
  any_.store(any, std::memory_order_relaxed);
  return std::nullopt;
}

void Router::look(By by) {
  while (any_.load(std::memory_order_acquire)) {
    const auto routed = next(by);
    if (!routed) return;
    if (routed->to == parts_.endpoint().rank()) {
      parts_.give_resources(*routed->task);
    } else if (routed->task->take_waiting()) {
      parts_.shipping.send(*routed->task, routed->to);
    } else {
      ended(*routed->task->asks(), routed->to);  // dropped meanwhile
      routed->task->release();
    }
  }
}

std::vector<TaskBase*> Router::take_waiting() {
  const std::lock_guard guard(lock_);
  std::vector<TaskBase*> all;
  for (auto& [asks, shape] : shapes_) {
    all.insert(all.end(), shape.waiting.begin(), shape.waiting.end());
    shape.waiting.clear();
  }
  return all;
}

void Router::ended(const TaskAsks& asks, RankId where) {
  const std::lock_guard guard(lock_);
  const auto found = shapes_.find(asks);
  if (found != shapes_.end()) --found->second.away[where.index()];
}

}  // namespace slipway::detail
