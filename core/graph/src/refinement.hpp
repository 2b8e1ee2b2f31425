// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assignment.hpp"

namespace slipway::detail {

// Fiduccia-Mattheyses refinement with the swaps of Kernighan and Lin: passes of single moves and swaps, each the one
// that lowers cost most (or raises it least), each unit at most once a pass; then back to the cheapest point of the
// pass. Ends when a pass gains nothing. Never breaks a rule of Assignment::fits(), and never worsens balance: see
// balanced() in the source. Every unit must be placed.
void refine(Assignment& assignment);

}  // namespace slipway::detail
