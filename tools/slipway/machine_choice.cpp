// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "machine_choice.hpp"

#include <cstdlib>
#include <filesystem>

namespace slipway::tool {

slurm::MachinePath machine_path_here() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path beside = fs::read_symlink("/proc/self/exe", unknown).parent_path() / SLIPWAY_MACHINES_FROM_BIN;
  const bool installed = fs::is_directory(beside, unknown);
  return slurm::machine_path(::getenv, fs::current_path(), installed ? beside : fs::path(SLIPWAY_MACHINES_IN_SOURCE));
}

std::optional<std::string> machine_here() { return slurm::detect_machine(machine_path_here(), ::getenv); }

slurm::MachineProfile choose_machine(const std::string& named) {
  return slurm::load_machine(named.empty() ? machine_here().value_or("generic") : named, machine_path_here());
}

}  // namespace slipway::tool
