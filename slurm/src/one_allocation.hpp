// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

// Node sets that differ in their ranks and programs, but share one plain allocation of equal nodes: the first nodes are
// those of the first set, and so on. For sites without heterogeneous jobs.
namespace slipway::slurm {

bool in_one_allocation(const JobSpec& job, const MachineProfile& machine);

// What to ask Slurm for, so that each node holds what any of the sets wants of it.
NodeSet allocation_of(const JobSpec& job, const MachineProfile& machine);

// What cannot be put into one allocation.
void check_one_allocation(std::vector<std::string>& problems, const JobSpec& job, const MachineProfile& machine);

// Bash that writes a file with the host of each rank, in their order, and names it to srun.
std::string hosts_of_ranks_text(const JobSpec& job);

// The words of a rank: a shell that becomes the program of its set, with the arguments of the job. Nothing reads the
// arguments on their way, as `srun --multi-prog` would.
std::vector<std::string> program_by_rank(const JobSpec& job, const MachineProfile& machine);

}  // namespace slipway::slurm
