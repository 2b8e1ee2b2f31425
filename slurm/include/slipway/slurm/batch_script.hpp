// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

// All that is wrong with the job on this machine, each as problem, why, what to do; empty: it can be written.
std::vector<std::string> problems_of(const JobSpec& job, const MachineProfile& machine);

// What may go wrong, but need not: limits of queues, facts nobody is sure of.
std::vector<std::string> warnings_of(const JobSpec& job, const MachineProfile& machine);

// The script: text from text, equal for equal arguments, byte for byte. Values reach the program as they are, whatever
// characters they have. Throws UsageError with all problems.
std::string batch_script(const JobSpec& job, const MachineProfile& machine);

// One job that runs other scripts of batch_script one after the other, each as steps of its own: the directives are
// those of `job`, which must be as large as the largest of them. `run_directories` hold the scripts (batch.sh) and are
// absolute; one in which a run has begun is passed over, so that the job can be submitted again. Throws UsageError as
// batch_script does, and for ibrun, which knows no steps of a part.
std::string series_script(const JobSpec& job, const MachineProfile& machine,
                          const std::vector<std::string>& run_directories);

// Whether a person has changed a script since batch_script made it; also true for one that it did not make.
bool edited_by_hand(const std::string& script);

}  // namespace slipway::slurm
