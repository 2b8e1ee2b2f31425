// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assignment.hpp"

namespace slipway::detail {

// Greedy graph growing: fills rank after rank, host after host, each time with the unplaced unit that has most traffic
// with what the rank holds already, then with its host, until the rank has its even share of the computing nodes and of
// the whole load. Units that found no room stay unplaced. What is placed before stays.
void grow(Assignment& assignment);

}  // namespace slipway::detail
