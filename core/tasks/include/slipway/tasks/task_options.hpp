// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace slipway {

// Of one task. Members keep their order for ever; new ones go last (designated initialisers).
struct TaskOptions {
  const char* name = nullptr;  // for people; a text that lives as long as the program. nullptr: the function's own
  std::uint8_t priority = 0;   // of tasks that are ready the higher goes first, then the older
};
static_assert(std::is_trivially_destructible_v<TaskOptions>);

// Options in front of the arguments of `submit`: submit<&fit>(slipway::on({.priority = 3}), data).
struct On {
  TaskOptions options;
};
inline On on(const TaskOptions& options) { return {options}; }

}  // namespace slipway
