// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/tasks/task_options.hpp"

namespace slipway::detail {

// What a task asks for beyond one core of any rank. Amounts in units of 1/10,000, so that sums are exact. Tasks that
// ask for the same are of one shape.
struct TaskAsks {
  static constexpr std::int64_t unit = 10'000;

  // nullptr: nothing. Throws UsageError for amounts that make no sense.
  static std::unique_ptr<TaskAsks> from(const On& on);

  std::int64_t cpus = unit;
  std::int64_t gpus = 0;
  std::uint64_t memory = 0;
  std::vector<std::pair<std::string, std::int64_t>> named;  // by name
  std::uint32_t on_rank = RankId::none;
  std::uint32_t near_rank = RankId::none;

  auto operator<=>(const TaskAsks&) const = default;
  std::int32_t cores() const { return static_cast<std::int32_t>((cpus + unit - 1) / unit); }
  bool has_resources() const { return gpus > 0 || memory > 0 || !named.empty(); }
};

// What tasks may use of a rank.
struct RankCapacity {
  std::int64_t cpus = TaskAsks::unit;
  std::int64_t gpus = 0;
  std::uint64_t memory = 0;  // 0: unknown, not checked
  std::vector<std::pair<std::string, std::int64_t>> named;
  std::uint32_t first_gpu = 0;  // the devices before it are for the nodes of the graph

  std::int64_t of(const std::string& name) const;
  // How many of these fit at once; 0: not even one.
  std::uint32_t slots(const TaskAsks& asks) const;
};

std::int64_t to_units(double amount);

// "1 gpu, 0.5 camera": for messages.
std::string describe(const TaskAsks& asks);
// Why no rank can ever run it, with the nearest that there is.
std::string explain_impossible(const TaskAsks& asks, const std::vector<RankCapacity>& ranks);

}  // namespace slipway::detail
