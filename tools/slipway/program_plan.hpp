// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

// What a program says of its own plan. It is run for it, here and at once, but starts no rank.
namespace slipway::tool {

// What it prints for these options of slipway's. Throws UsageError, with what the program said, when it prints no plan.
std::string plan_of(const std::vector<std::string>& command, const std::vector<std::string>& options);

// The program's own table of nodes, ranks and hosts on the nodes of the job. Throws as plan_of.
std::string placement_of(const slurm::JobSpec& job, const slurm::MachineProfile& machine);

// Whether the file of the program has the mark of a slipway program in it: no script has, and no other program.
bool is_slipway_program(const std::string& program);

// Throws UsageError, with the program's own words, when its graph has no place on the nodes of the job. A program
// without the mark is not asked; one that cannot be asked here, or takes long, is warned of.
void check_placement(const slurm::JobSpec& job, const slurm::MachineProfile& machine);

}  // namespace slipway::tool
