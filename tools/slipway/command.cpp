// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <utility>

#include "slipway/base/error.hpp"

namespace slipway::tool {

std::optional<Captured> run_command(const std::vector<std::string>& words) {
  return detail::capture({.command = words, .more_environment = {}});
}

std::optional<Captured> try_slurm(const std::vector<std::string>& words, std::vector<std::string> without) {
  without.insert(without.end(), {"SQUEUE_FORMAT", "SQUEUE_FORMAT2", "SQUEUE_STATES", "SACCT_FORMAT"});
  // In a group of its own: Ctrl-C must not end it between what it does and what it says.
  return detail::capture({.command = words,
                          .more_environment = {"LC_ALL=C", "SLURM_TIME_FORMAT=standard", "SLURM_BITSTR_LEN=0"},
                          .less_environment = std::move(without),
                          .own_process_group = true});
}

Captured run_slurm(const std::vector<std::string>& words, std::vector<std::string> without) {
  auto result = try_slurm(words, std::move(without));
  if (!result) {
    throw UsageError("there is no " + words.front() +
                     " on the PATH (this machine has no Slurm, or its module is not loaded). `run`, `script`, `status` "
                     "and `logs` work without it");
  }
  return *std::move(result);
}

bool slurm_is_here() {
  static const bool here = run_command({"sbatch", "--version"}).has_value();
  return here;
}

}  // namespace slipway::tool
