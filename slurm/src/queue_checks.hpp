// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

// What the partition and the quality of service of such nodes do not allow.
void check_queues(std::vector<std::string>& problems, const JobSpec& job, const NodeSet& set,
                  const MachineProfile& machine);

// What they may not allow.
void warn_of_queues(std::vector<std::string>& warnings, const JobSpec& job, const NodeSet& set,
                    const MachineProfile& machine);

}  // namespace slipway::slurm
