// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

// One option of sbatch. Without value it stands alone.
struct Directive {
  std::string name;  // without dashes
  std::string value{};
  bool alone = false;
};

// What the job asks of sbatch on this machine; for a heterogeneous job, one list a component, the first with what
// belongs to the whole.
std::vector<std::vector<Directive>> directives_of(const JobSpec& job, const MachineProfile& machine);

// "--name=value", such that sbatch reads the value back unchanged from a line of a script.
std::string to_text(const Directive& directive);

// What -c counts: cores, or their threads.
std::uint32_t cpus_per_rank(const NodeSet& set, const MachineProfile& machine);

// The launcher that the job asks for, else the profile's. Throws UsageError for a word that is none.
Launcher launcher_of(const JobSpec& job, const MachineProfile& machine);

}  // namespace slipway::slurm
