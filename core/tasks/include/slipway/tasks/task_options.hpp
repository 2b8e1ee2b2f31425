// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "slipway/base/error.hpp"
#include "slipway/base/ids.hpp"

namespace slipway {

// So much of a resource that ranks declare by name. The text lives as long as the program.
struct NamedAmount {
  const char* name = nullptr;
  double amount = 0;
};

// A few of them: {{"camera", 1}, {"licence", 0.5}}. Throws UsageError for more than there is room for.
class NamedAmounts {
 public:
  static constexpr std::size_t most = 4;

  constexpr NamedAmounts() = default;
  constexpr NamedAmounts(std::initializer_list<NamedAmount> amounts) {
    if (amounts.size() > most)
      throw UsageError("a task asks for more than 4 named resources. Join some under one name");
    for (const NamedAmount& each : amounts) items_[size_++] = each;
  }
  const NamedAmount* begin() const { return items_; }
  const NamedAmount* end() const { return items_ + size_; }

 private:
  NamedAmount items_[most] = {};
  std::size_t size_ = 0;
};

// Of one task. Amounts are exact to 1/10,000. Members keep their order for ever; new ones go last (designated
// initialisers).
struct TaskOptions {
  const char* name = nullptr;  // for people; a text that lives as long as the program. nullptr: the function's own
  std::uint8_t priority = 0;   // of tasks that are ready the higher goes first, then the older
  double cpus = 1;             // cores that the task keeps busy; a part of one counts as one, 0 as none
  double gpus = 0;             // a part of one device, or whole ones: TaskContext::gpus says which
  std::uint64_t memory = 0;    // bytes
  NamedAmounts named = {};     // .named = {{"camera", 1}}
  RankId on_rank = {};         // there and nowhere else
  std::uint8_t retry_exceptions = 0;    // more attempts, there, after one that threw; arguments are kept as bytes
  std::chrono::nanoseconds timeout{0};  // from its submission: then its outcome is Timeout, if it has none; 0: no limit
  std::uint8_t max_retries = 3;         // more attempts after one that was lost with its rank, or whose result was
};
static_assert(std::is_trivially_destructible_v<TaskOptions>);

template <class T>
class Ref;

// Options in front of the arguments of `submit`: submit<&fit>(slipway::on({.gpus = 1}), data).
struct On {
  TaskOptions options;
  RankId near_rank = {};

  // Where this value lies, if there is room soon; else where there is.
  template <class T>
  On near(const Ref<T>& ref) const {
    return {options, ref.location()};
  }
};
inline On on(const TaskOptions& options) { return {options, {}}; }

}  // namespace slipway
