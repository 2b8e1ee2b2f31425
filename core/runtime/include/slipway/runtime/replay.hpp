// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "slipway/observe/wait_log.hpp"
#include "slipway/runtime/options.hpp"

namespace slipway {

// What waits for tasks gave out in the run that these settings name (--slipway-replay), on all its ranks, those of
// `rank` last; nothing where they name none. Throws UsageError for a directory that is no run, or kept no waits, and
// for a run with another seed, whose ids and so whose waits were others.
std::vector<WaitRecord> waits_to_repeat(const Settings& settings, std::uint32_t rank);

}  // namespace slipway
