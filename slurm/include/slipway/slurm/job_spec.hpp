// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What a user wants of a batch job, without a word about how a site wants to hear it.
namespace slipway::slurm {

// Equal nodes: all of a plain job, or one component of a heterogeneous one. Members keep their order for ever.
struct NodeSet {
  std::string node_type{};  // of the machine's profile; empty: its first
  std::uint32_t nodes = 1;
  std::uint32_t ranks_per_node = 1;
  std::uint32_t cores_per_rank = 1;
  std::uint32_t gpus_per_node = 0;
  std::uint64_t memory_mib = 0;        // a node; 0: as the profile does
  bool all_memory = false;             // of the node, said explicitly
  std::vector<std::string> program{};  // runs here instead of the job's, with the same arguments: a GPU build
};

// What happens when the time limit comes near. Members keep their order for ever.
struct NoticePolicy {
  std::string signal = "USR1";       // of the notice
  std::chrono::seconds margin{120};  // before the limit; 0: no notice
  std::uint32_t most_restarts = 0;   // 0: the job is not requeued after a notice
  bool requeue_on_node_failure = false;
};

// Texts are as sbatch takes them; empty: not asked for. Members keep their order for ever.
struct JobSpec {
  std::string name{};
  std::vector<NodeSet> node_sets{NodeSet{}};
  std::vector<std::string> command{};  // the program and its arguments, any bytes but 0
  std::string working_directory{};     // absolute; empty: where sbatch is called
  std::string
      run_directory{};    // absolute; log and status are there. Empty, for scripts submitted by hand: a new one a job
  std::string made_by{};  // the command line that asked for the script, for its header
  std::chrono::seconds time{};  // 0: the site's default
  std::string account{};
  std::string partition{};
  std::string qos{};
  std::string reservation{};
  std::string constraint{};
  std::string begin{};
  std::string deadline{};
  std::string dependency{};
  std::string array{};
  bool hold = false;
  std::optional<bool> exclusive{};
  std::string mail_type{};
  std::string mail_user{};
  std::string comment{};
  std::string licenses{};
  std::string network{};
  std::string exclude{};
  std::string node_list{};
  std::string distribution{};
  std::vector<std::string> extra_directives{};       // "--switches=1": verbatim behind #SBATCH
  std::string prologue{};                            // verbatim, before everything that the script does
  std::map<std::string, std::string> environment{};  // exported to the program
  std::vector<std::string> launch_options{};         // more words for srun or mpirun
  std::optional<std::string> launcher{};             // "srun", "mpirun" or "ibrun" instead of the profile's
  NoticePolicy notice{};
  bool one_allocation = false;  // node sets share a plain allocation of equal nodes, instead of being heterogeneous
  bool core_dumps = false;      // ranks that crash leave core files
};

}  // namespace slipway::slurm
