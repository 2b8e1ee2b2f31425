// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "machine_choice.hpp"

#include <cstdlib>
#include <filesystem>

namespace slipway::tool {

namespace {

const char* environment(const char* name) { return std::getenv(name); }

}  // namespace

slurm::MachinePath machine_path_here() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path beside = fs::read_symlink("/proc/self/exe", unknown).parent_path() / SLIPWAY_MACHINES_FROM_BIN;
  const bool installed = fs::is_directory(beside, unknown);
  return slurm::machine_path(environment, fs::current_path(),
                             installed ? beside : fs::path(SLIPWAY_MACHINES_IN_SOURCE));
}

slurm::MachineProfile choose_machine(const std::string& named) {
  const auto path = machine_path_here();
  if (!named.empty()) return slurm::load_machine(named, path);
  return slurm::load_machine(slurm::detect_machine(path, environment).value_or("generic"), path);
}

}  // namespace slipway::tool
