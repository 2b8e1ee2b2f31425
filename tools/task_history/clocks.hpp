// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "slipway/observe/task_events.hpp"

namespace slipway::task_history {

// For each of them, what makes a time of its clock one of the common wall clock.
std::vector<std::int64_t> clock_offsets(const std::vector<TaskEvents>& ranks);

}  // namespace slipway::task_history
