// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "slipway/runtime/rank_runtime.hpp"
#include "slipway/tasks/task_asks.hpp"
#include "start_agreement.hpp"

namespace slipway::detail {

// What each rank has for tasks: all but what its nodes were promised. Cores are shared with nodes.
std::vector<RankCapacity> capacities_for_tasks(const RankSetup& setup, const Agreement& agreement);

}  // namespace slipway::detail
