// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

// Where a job goes, as far as the profile knows these queues; else null.
struct QueuesOfJob {
  const Queue* partition = nullptr;
  const Queue* quality = nullptr;
};

// What the job names comes first, then what leads to the nodes, then the site's default.
QueuesOfJob queues_of(const std::string& partition, const std::string& qos, const NodeType& type,
                      const MachineProfile& machine);

// How memory is asked for there.
struct MemoryPolicy {
  MemoryRequest request = MemoryRequest::omit;
  std::uint64_t mib_per_core = 0;
  std::string of;  // "partition 'small'"; empty: the whole machine's
};

MemoryPolicy memory_policy(const QueuesOfJob& queues, const MachineProfile& machine);

}  // namespace slipway::slurm
