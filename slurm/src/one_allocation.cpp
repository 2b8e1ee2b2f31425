// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "one_allocation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "script_text.hpp"
#include "slipway/base/text.hpp"

namespace slipway::slurm {

namespace {

std::uint64_t ranks_of(const NodeSet& set) { return std::uint64_t{set.nodes} * set.ranks_per_node; }

std::uint32_t most_gpus(const JobSpec& job) {
  std::uint32_t most = 0;
  for (const auto& set : job.node_sets) most = std::max(most, set.gpus_per_node);
  return most;
}

constexpr std::string_view hosts_text =
    R"bash(# One plain allocation: srun starts the ranks in the order of this list of their hosts.
mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
if [ "${#hosts[@]}" -lt @NODES@ ]; then
  echo "slipway: the job has ${#hosts[@]} nodes, not @NODES@ (was --nodes changed?)"
  exit 2
fi
hosts_of_ranks() {  # FIRST COUNT RANKS
  local host rank
  for host in "${hosts[@]:$1:$2}"; do
    for ((rank = 0; rank < $3; rank++)); do echo "$host"; done
  done
}
{
@SETS@} >"$run_directory/.hosts-$attempt"
export SLURM_HOSTFILE=$run_directory/.hosts-$attempt
unset SLURM_HINT SLURM_DISTRIBUTION SLURM_NTASKS SLURM_NPROCS SLURM_NTASKS_PER_NODE SLURM_TASKS_PER_NODE SLURM_CPUS_PER_TASK
)bash";

// What becomes of the shell on the ranks before `end`.
std::string become(const JobSpec& job, const NodeSet& set, std::uint64_t end, std::uint32_t gpus) {
  const std::vector<std::string> program =
      set.program.empty() ? std::vector<std::string>{job.command.front()} : set.program;
  std::string text = fmt::format("if [ \"$SLURM_PROCID\" -lt {} ]; then ", end);
  if (gpus > 0 && set.gpus_per_node == 0) text += "export CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES=; ";
  return text + "exec " + shell_line(program) + " \"$@\"; fi; ";
}

}  // namespace

bool in_one_allocation(const JobSpec& job, const MachineProfile& machine) {
  return job.node_sets.size() > 1 && (job.one_allocation || machine.het_jobs == HetJobs::no);
}

NodeSet allocation_of(const JobSpec& job, const MachineProfile& machine) {
  NodeSet all = job.node_sets.front();
  all.nodes = 0;
  all.ranks_per_node = 1;
  all.cores_per_rank = 1;
  all.gpus_per_node = most_gpus(job);
  for (const auto& set : job.node_sets) {
    all.nodes += set.nodes;
    all.memory_mib = std::max(all.memory_mib, set.memory_mib);
    all.all_memory = all.all_memory || set.all_memory;
    if (machine.cpus_per_task) {
      all.cores_per_rank = std::max(all.cores_per_rank, set.ranks_per_node * set.cores_per_rank);
    } else {  // ranks are all that Slurm is told
      all.ranks_per_node = std::max(all.ranks_per_node, set.ranks_per_node);
    }
  }
  return all;
}

void check_one_allocation(std::vector<std::string>& problems, const JobSpec& job, const MachineProfile& machine) {
  const NodeType& type = machine.node_type(job.node_sets.front().node_type);
  for (const auto& set : job.node_sets) {
    const NodeType& other = machine.node_type(set.node_type);
    if (other.name != type.name) {
      problems.push_back(fmt::format(
          "nodes of the types '{}' and '{}' cannot be in one allocation (all of its nodes are equal); take one "
          "type{}",
          type.name, other.name, machine.het_jobs == HetJobs::no ? "" : ", or leave --one-allocation out"));
    }
    if (set.gpus_per_node != 0 && set.gpus_per_node != most_gpus(job)) {
      problems.push_back(
          fmt::format("{} and {} GPUs a node cannot be in one allocation (each node gets the same); ask for the same "
                      "number, or for none",
                      most_gpus(job), set.gpus_per_node));
    }
  }
  if (most_gpus(job) > 0 && machine.gpu_request == GpuRequest::gpus_per_task) {
    problems.push_back(
        fmt::format("GPUs cannot be asked for in one allocation (machine '{}' gives them by rank, and ranks differ); "
                    "take equal nodes, or leave --one-allocation out",
                    machine.name));
  }
  if (!job.distribution.empty()) {
    problems.push_back(
        "--distribution cannot be had in one allocation (the hosts of the ranks are listed one by one); leave it out");
  }
}

std::string hosts_of_ranks_text(const JobSpec& job) {
  std::string sets;
  std::uint32_t first = 0;
  for (const auto& set : job.node_sets) {
    sets += fmt::format("  hosts_of_ranks {} {} {}\n", first, set.nodes, set.ranks_per_node);
    first += set.nodes;
  }
  return replaced(replaced(hosts_text, "@SETS@", sets), "@NODES@", std::to_string(first));
}

std::vector<std::string> program_by_rank(const JobSpec& job, const MachineProfile& machine) {
  const std::uint32_t gpus = machine.gpu_request == GpuRequest::none ? 0 : most_gpus(job);
  std::string shell = "unset SLURM_HOSTFILE; ";
  std::uint64_t end = 0;
  for (const auto& set : job.node_sets) {
    end += ranks_of(set);
    shell += become(job, set, end, gpus);
  }
  shell += "echo \"slipway: there is no program for rank $SLURM_PROCID\" >&2; exit 2";
  std::vector<std::string> words{"bash", "-c", std::move(shell), "slipway-rank"};
  words.insert(words.end(), job.command.begin() + 1, job.command.end());
  return words;
}

}  // namespace slipway::slurm
