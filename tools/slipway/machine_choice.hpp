// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "slipway/slurm/machine_profile.hpp"

namespace slipway::tool {

// Where this command looks for profiles: the shipped ones are beside it when installed, else in the source tree.
slurm::MachinePath machine_path_here();

// The one that this machine is recognised as.
std::optional<std::string> machine_here();

// The named one, else the one that this machine is recognised as, else "generic".
slurm::MachineProfile choose_machine(const std::string& named);

}  // namespace slipway::tool
