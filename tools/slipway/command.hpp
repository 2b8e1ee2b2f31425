// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slipway/local/child_process.hpp"

namespace slipway::tool {

using detail::Captured;

// Runs a program to its end, found by $PATH if it has no slash. Nothing when there is none that can be run.
std::optional<Captured> run_command(const std::vector<std::string>& words);

// A command of Slurm's, in plain English, without the site's formats and unabridged, so that its output can be read.
// `without`: more variables that it does not get. Nothing when there is no such command.
std::optional<Captured> try_slurm(const std::vector<std::string>& words, std::vector<std::string> without = {});
// The same; throws UsageError when there is no such command.
Captured run_slurm(const std::vector<std::string>& words, std::vector<std::string> without = {});
bool slurm_is_here();

}  // namespace slipway::tool
