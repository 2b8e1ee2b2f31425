// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command.hpp"
#include "slipway/slurm/scheduler_text.hpp"

namespace slipway::tool {

// The batch script in a run directory.
inline constexpr const char* script_file = "batch.sh";

// Without SBATCH_ variables of the user, which would beat the directives of the script.
Captured run_sbatch(const std::vector<std::string>& options, const std::filesystem::path& script);

// Throws UsageError with all that sbatch said when it takes no job. `more`: options that beat those of the script.
slurm::JobId submit_script(const std::filesystem::path& script, const std::vector<std::string>& more = {});

}  // namespace slipway::tool
