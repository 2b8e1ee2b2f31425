// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/observe/run_directory.hpp"
#include "slipway/runtime/rank_runtime.hpp"
#include "start_agreement.hpp"

namespace slipway::detail {

// What ran, where, with what: graph.json, placement.json, options.json, versions.json. Contract 17.
void write_run_files(const RunDirectory& directory, const RankSetup& setup, const Agreement& agreement);

}  // namespace slipway::detail
