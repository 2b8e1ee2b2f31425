// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "launch_command.hpp"

#include <fmt/format.h>

#include "directives.hpp"
#include "one_allocation.hpp"

namespace slipway::slurm {

namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// The profile's are for its own launcher.
Words more_options(const JobSpec& job, const MachineProfile& machine, Launcher launcher) {
  Words words;
  if (machine.launcher == launcher) words = machine.launch_options;
  append(words, job.launch_options);
  return words;
}

Words program_of(const JobSpec& job, const NodeSet& set) {
  if (set.program.empty()) return job.command;
  Words words = set.program;
  words.insert(words.end(), job.command.begin() + 1, job.command.end());
  return words;
}

// srun takes over neither the number of cpus nor, in a heterogeneous job, anything of a component.
Words srun_part(const JobSpec& job, const NodeSet& set, const MachineProfile& machine) {
  Words words{fmt::format("--nodes={}", set.nodes),
              fmt::format("--ntasks={}", std::uint64_t{set.nodes} * set.ranks_per_node),
              fmt::format("--ntasks-per-node={}", set.ranks_per_node)};
  if (machine.cpus_per_task) words.push_back(fmt::format("--cpus-per-task={}", cpus_per_rank(set, machine)));
  if (!machine.cpu_bind.empty()) words.push_back("--cpu-bind=" + machine.cpu_bind);
  if (!machine.hint.empty()) words.push_back("--hint=" + machine.hint);
  if (set.gpus_per_node > 0 && !machine.gpu_bind.empty()) words.push_back("--gpu-bind=" + machine.gpu_bind);
  if (!job.distribution.empty()) words.push_back("--distribution=" + job.distribution);
  append(words, more_options(job, machine, Launcher::srun));
  append(words, program_of(job, set));
  return words;
}

// Ranks of different size: Slurm cannot bind each to its cores, so all see those of their node, and share them.
Words srun_on_listed_hosts(const JobSpec& job, const MachineProfile& machine) {
  std::uint64_t ranks = 0;
  for (const auto& set : job.node_sets) ranks += std::uint64_t{set.nodes} * set.ranks_per_node;
  Words words{fmt::format("--ntasks={}", ranks), "--distribution=arbitrary", "--cpu-bind=none"};
  const bool gpus = allocation_of(job, machine).gpus_per_node > 0;
  if (gpus && !machine.gpu_bind.empty()) words.emplace_back("--gpu-bind=none");
  append(words, more_options(job, machine, Launcher::srun));
  append(words, program_by_rank(job, machine));
  return words;
}

LaunchCommand by_srun(const JobSpec& job, const MachineProfile& machine) {
  LaunchCommand command{{"srun", "--kill-on-bad-exit=1"}, {}};
  if (!machine.mpi.empty()) command.words.push_back("--mpi=" + machine.mpi);
  if (machine.mpi == "pmix") command.environment["SLURM_PMIX_FENCE"] = "ring";  // Slurm 22.05's tree is no barrier
  if (in_one_allocation(job, machine)) {
    append(command.words, srun_on_listed_hosts(job, machine));
    return command;
  }
  const bool parts = job.node_sets.size() > 1;
  for (std::size_t part = 0; part < job.node_sets.size(); ++part) {
    if (part > 0) command.words.emplace_back(":");
    if (parts) command.words.push_back(fmt::format("--het-group={}", part));
    append(command.words, srun_part(job, job.node_sets[part], machine));
  }
  if (!parts && machine.cpus_per_task) {  // for what the program itself starts by srun
    command.environment["SRUN_CPUS_PER_TASK"] = std::to_string(cpus_per_rank(job.node_sets.front(), machine));
  }
  return command;
}

LaunchCommand by_mpirun(const JobSpec& job, const MachineProfile& machine) {
  const NodeSet& set = job.node_sets.front();
  LaunchCommand command{{"mpirun", "-n", std::to_string(std::uint64_t{set.nodes} * set.ranks_per_node), "--map-by",
                         fmt::format("ppr:{}:node", set.ranks_per_node), "--bind-to", "none"},
                        {}};
  append(command.words, more_options(job, machine, Launcher::mpirun));
  append(command.words, job.command);
  return command;
}

LaunchCommand by_ibrun(const JobSpec& job, const MachineProfile& machine) {
  LaunchCommand command{{"ibrun"}, {}};
  // ibrun pins a rank to as many cores as it has threads.
  command.environment["OMP_NUM_THREADS"] = std::to_string(job.node_sets.front().cores_per_rank);
  append(command.words, more_options(job, machine, Launcher::ibrun));
  append(command.words, job.command);
  return command;
}

}  // namespace

LaunchCommand launch_command(const JobSpec& job, const MachineProfile& machine) {
  const Launcher launcher = launcher_of(job, machine);
  if (launcher == Launcher::mpirun) return by_mpirun(job, machine);
  if (launcher == Launcher::ibrun) return by_ibrun(job, machine);
  return by_srun(job, machine);
}

}  // namespace slipway::slurm
