// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::tool {

struct CommandResult {
  int status = 0;  // 128 + signal where one ended it
  std::string output;
  std::string errors;
};

// Runs a program to its end, found by $PATH if it has no slash. Its stdin is empty. `changes` to the environment: a
// value, or nothing to take the variable away. Nothing when there is no such program.
std::optional<CommandResult> run_command(const std::vector<std::string>& words,
                                         const std::map<std::string, std::optional<std::string>>& changes = {});

// Slurm's own commands, in plain English and without the site's formats, so that their output can be read. Throws
// UsageError when there is no Slurm on the PATH.
CommandResult run_slurm(const std::vector<std::string>& words);
bool slurm_is_here();

}  // namespace slipway::tool
