// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

// What starts the ranks inside the job, program and arguments included.
struct LaunchCommand {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  // exported before
};

LaunchCommand launch_command(const JobSpec& job, const MachineProfile& machine);

}  // namespace slipway::slurm
