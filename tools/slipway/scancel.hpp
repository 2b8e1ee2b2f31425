// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace slipway::tool {

// By scancel, with such options. Throws Error with what it said.
void cancel_jobs(const std::vector<std::string>& ids, const std::vector<std::string>& options = {});

}  // namespace slipway::tool
