// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "machine_choice.hpp"

#include <cstdlib>
#include <filesystem>

#include "beside_tool.hpp"

namespace slipway::tool {

slurm::MachinePath machine_path_here() {
  const auto shipped = beside_tool(SLIPWAY_MACHINES_FROM_BIN, SLIPWAY_MACHINES_IN_SOURCE);
  return slurm::machine_path(::getenv, std::filesystem::current_path(), shipped);
}

std::optional<std::string> machine_here() { return slurm::detect_machine(machine_path_here(), ::getenv); }

slurm::MachineProfile choose_machine(const std::string& named) {
  return slurm::load_machine(named.empty() ? machine_here().value_or("generic") : named, machine_path_here());
}

}  // namespace slipway::tool
