// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

inline MachinePath shipped_machines() { return {.directories = {SHIPPED_MACHINES}}; }

// A job that every machine with an account and a time limit takes.
inline JobSpec plain_job() {
  using namespace std::chrono_literals;
  JobSpec job;
  job.name = "train";
  job.node_sets = {{.nodes = 4, .ranks_per_node = 4, .cores_per_rank = 7}};
  job.command = {"./train", "--rate", "0.1"};
  job.working_directory = "/home/ada/work";
  job.run_directory = "/home/ada/work/runs/train-1";
  job.made_by = "slipway submit --nodes 4 ./train --rate 0.1";
  job.time = 90min;
  return job;
}

// The same, with what this machine cannot do without.
inline JobSpec job_for(const MachineProfile& machine) {
  JobSpec job = plain_job();
  if (machine.account == Need::required) job.account = "project1";
  const NodeType& type = machine.node_types.front();
  if (machine.partition == Need::required && type.partition.empty()) job.partition = "main";
  if (machine.qos == Need::required && type.qos.empty()) job.qos = machine.qualities.front().name;
  job.node_sets.front().gpus_per_node = type.gpus;
  if (type.cores_per_gpu > 0) job.node_sets.front().cores_per_rank = type.cores_per_gpu * type.gpus / 4;
  return job;
}

}  // namespace slipway::slurm
