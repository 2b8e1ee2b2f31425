// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/task_asks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "slipway/base/error.hpp"

namespace slipway::detail {

namespace {

constexpr double most = 1e9;  // of anything

std::int64_t checked(const char* what, double amount) {
  if (!(amount >= 0 && amount <= most)) {
    throw UsageError(
        fmt::format("a task asks for {} of {} (amounts are at least 0). Mend the options of its submit", amount, what));
  }
  const std::int64_t units = to_units(amount);
  if (units == 0 && amount > 0) {
    throw UsageError(
        fmt::format("a task asks for {} of {} (amounts are counted in steps of 0.0001). Ask for at least "
                    "that, or for none",
                    amount, what));
  }
  return units;
}

double amount_of(std::int64_t units) { return static_cast<double>(units) / TaskAsks::unit; }

std::uint32_t fit(std::uint64_t available, std::uint64_t asked) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(available / asked, std::numeric_limits<int>::max()));
}

void append(std::string& text, const std::string& part) {
  if (!text.empty()) text += ", ";
  text += part;
}

}  // namespace

std::int64_t to_units(double amount) { return std::llround(amount * TaskAsks::unit); }

std::unique_ptr<TaskAsks> TaskAsks::from(const On& on) {
  const TaskOptions& options = on.options;
  const bool plain = options.cpus == 1 && options.gpus == 0 && options.memory == 0 &&
                     options.named.begin() == options.named.end() && !options.on_rank && !on.near_rank;
  if (plain) return nullptr;
  auto asks = std::make_unique<TaskAsks>();
  asks->cpus = checked("cpus", options.cpus);
  asks->gpus = checked("gpus", options.gpus);
  if (asks->gpus > unit && asks->gpus % unit != 0) {
    throw UsageError(fmt::format(
        "a task asks for {} gpus (a part of one device cannot be joined with whole ones). Ask for at most 1, or a "
        "whole number",
        options.gpus));
  }
  asks->memory = options.memory;
  for (const NamedAmount& each : options.named) {
    if (!each.name) throw UsageError("a task asks for a resource without a name. Name it as --slipway-resources does");
    const std::int64_t amount = checked(each.name, each.amount);
    const auto known = std::find_if(asks->named.begin(), asks->named.end(),
                                    [&each](const auto& other) { return other.first == each.name; });
    if (known != asks->named.end()) {
      known->second += amount;
    } else {
      asks->named.emplace_back(each.name, amount);
    }
  }
  std::sort(asks->named.begin(), asks->named.end());
  asks->on_rank = options.on_rank.value();
  asks->near_rank = on.near_rank.value();
  return asks;
}

std::int64_t RankCapacity::of(const std::string& name) const {
  const auto found = std::find_if(named.begin(), named.end(), [&](const auto& each) { return each.first == name; });
  return found == named.end() ? 0 : found->second;
}

std::uint32_t RankCapacity::slots(const TaskAsks& asks) const {
  std::uint32_t slots = std::numeric_limits<int>::max();
  const auto limit = [&slots](std::uint64_t available, std::uint64_t asked) {
    if (asked > 0) slots = std::min(slots, fit(available, asked));
  };
  limit(static_cast<std::uint64_t>(cpus), static_cast<std::uint64_t>(asks.cpus));
  if (asks.gpus > 0 && asks.gpus < TaskAsks::unit) {  // no part lies on two devices
    slots = std::min(slots, fit(static_cast<std::uint64_t>(gpus / TaskAsks::unit), 1) *
                                fit(TaskAsks::unit, static_cast<std::uint64_t>(asks.gpus)));
  } else {
    limit(static_cast<std::uint64_t>(gpus / TaskAsks::unit * TaskAsks::unit), static_cast<std::uint64_t>(asks.gpus));
  }
  if (memory > 0) limit(memory, asks.memory);
  for (const auto& [name, amount] : asks.named) {
    limit(static_cast<std::uint64_t>(of(name)), static_cast<std::uint64_t>(amount));
  }
  return slots;
}

std::string describe(const TaskAsks& asks) {
  std::string text;
  if (asks.cpus != TaskAsks::unit) append(text, fmt::format("{} cpus", amount_of(asks.cpus)));
  if (asks.gpus > 0) append(text, fmt::format("{} gpus", amount_of(asks.gpus)));
  if (asks.memory > 0) append(text, fmt::format("{} bytes of memory", asks.memory));
  for (const auto& [name, amount] : asks.named) append(text, fmt::format("{} {}", amount_of(amount), name));
  if (asks.on_rank != RankId::none) append(text, fmt::format("rank {}", asks.on_rank));
  return text.empty() ? "nothing" : text;
}

std::string explain_impossible(const TaskAsks& asks, const std::vector<RankCapacity>& ranks) {
  if (asks.on_rank != RankId::none && asks.on_rank >= ranks.size()) {
    return fmt::format("a task asks for rank {}, and there are {} (0 to {}). Start more ranks, or name one that exists",
                       asks.on_rank, ranks.size(), ranks.size() - 1);
  }
  std::string most;
  const auto note = [&](const std::string& what, auto asked, const auto& amount_on, const auto& format) {
    if (asked == 0) return;
    auto best = amount_on(ranks.front());
    for (const auto& rank : ranks) best = std::max(best, amount_on(rank));
    append(most, fmt::format("{} {}", format(best), what));
  };
  const auto in_units = [](std::int64_t units) { return fmt::format("{}", amount_of(units)); };
  note(
      "cpus", asks.cpus, [](const RankCapacity& rank) { return rank.cpus; }, in_units);
  note(
      "gpus", asks.gpus, [](const RankCapacity& rank) { return rank.gpus; }, in_units);
  note(
      "bytes of memory", asks.memory, [](const RankCapacity& rank) { return rank.memory; },
      [](std::uint64_t bytes) { return bytes == 0 ? std::string("an unknown number of") : fmt::format("{}", bytes); });
  for (const auto& [name, amount] : asks.named) {
    note(
        name, amount, [&name = name](const RankCapacity& rank) { return rank.of(name); }, in_units);
  }
  const std::string where = asks.on_rank != RankId::none
                                ? fmt::format("rank {} has never so much", asks.on_rank)
                                : fmt::format("no rank of {} has so much at once", ranks.size());
  return fmt::format(
      "a task asks for {}, and {} (the most that any rank has: {}). Ask for less, or give the ranks more",
      describe(asks), where, most);
}

}  // namespace slipway::detail
