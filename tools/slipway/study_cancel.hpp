// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

namespace slipway::tool {

// Ends what a study has in the queue and what runs of it, the programs in order as far as they do within `patience`.
// The study can be resumed. Returns the exit status; throws UsageError for a study on this machine, which ends by
// Ctrl-C.
int cancel_study(const std::filesystem::path& directory, std::chrono::seconds patience);

}  // namespace slipway::tool
