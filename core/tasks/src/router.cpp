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
    const double load = static_cast<double>(shape.away[each.index()]) / parts_.capacities[each.index()].slots(asks);
    if (best && load >= least) continue;
    best = each;
    least = load;
  }
  return best;
}

void Router::route(TaskBase& task) {
  const std::lock_guard guard(lock_);
  shape_of(*task.asks()).waiting.push_back(&task);
  any_.store(true, std::memory_order_release);
}

Router::Shape& Router::shape_of(const TaskAsks& asks) {
  Shape& shape = shapes_[asks];
  if (shape.away.empty()) shape.away.resize(parts_.capacities.size());
  return shape;
}

std::optional<Router::Routed> Router::next(By by, bool& skipped) {
  const std::lock_guard guard(lock_);
  bool any = false;
  for (auto& [asks, shape] : shapes_) {
    if (shape.waiting.empty()) continue;
    any = true;
    const auto rank = choose(asks, shape);
    if (!rank) continue;
    TaskBase* const task = shape.waiting.front();
    if (by == By::desk && *rank != parts_.endpoint().rank() && !task->is_plain()) {
      skipped = true;
      continue;
    }
    shape.waiting.pop_front();
    ++shape.away[rank->index()];
    ++shape.all_away;
    return Routed{task, *rank};
  }
  any_.store(any, std::memory_order_relaxed);
  return std::nullopt;
}

void Router::send_waiting(By by) {
  bool skipped = false;
  while (any_.load(std::memory_order_acquire)) {
    const auto routed = next(by, skipped);
    if (!routed) break;
    if (!carry_out(*routed, by)) return;
  }
  if (skipped) parts_.call_looker();
}

// False: there is no way to that rank now.
bool Router::carry_out(const Routed& routed, By by) {
  TaskBase& task = *routed.task;
  if (routed.to == parts_.endpoint().rank()) {
    parts_.give_resources(task);
  } else if (!task.take_waiting()) {  // dropped meanwhile
    task_ended(*task.asks(), routed.to);
    task.release();
  } else if (!parts_.shipping.send(task, routed.to, by)) {
    task_ended(*task.asks(), routed.to);
    task.put_back();
    const std::lock_guard guard(lock_);
    shape_of(*task.asks()).waiting.push_front(&task);
    any_.store(true, std::memory_order_release);
    return false;
  }
  return true;
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

void Router::task_ended(const TaskAsks& asks, RankId where) {
  const std::lock_guard guard(lock_);
  const auto found = shapes_.find(asks);
  if (found == shapes_.end()) return;
  Shape& shape = found->second;
  --shape.away[where.index()];
  if (--shape.all_away == 0 && shape.waiting.empty()) shapes_.erase(found);
}

}  // namespace slipway::detail
