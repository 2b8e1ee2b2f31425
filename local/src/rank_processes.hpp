// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace slipway::detail {

// The ranks that an mpirun started on this machine, as /proc shows them. Where they are not found, as under a launcher
// of another kind, nothing wrong is done, and mpirun alone watches them.
class RankProcesses {
 public:
  RankProcesses(pid_t mpirun, std::uint32_t ranks, const std::string& run_directory);

  // To be called a few times a second while mpirun runs.
  void look();

  // All ranks were there once, and one at least is there no more.
  bool some_gone() const { return complete_ && present_ < ranks_; }
  // Sends the signal to all ranks ever seen that still exist. A process that got the number of an ended rank is spared:
  // it has not our run directory in its environment. True: there was one.
  bool signal_all(int signal) const;
  // What Open MPI leaves in shared memory and in its session folder when it is killed. Only after all are gone.
  void remove_litter() const;

 private:
  bool is_ours(pid_t process) const;
  void learn_litter(pid_t rank);

  const pid_t mpirun_;
  const std::uint32_t ranks_;
  const std::string mark_;  // what the environment of our processes holds
  std::uint32_t present_ = 0;
  bool complete_ = false;
  std::set<pid_t> seen_;
  std::string job_in_names_;  // part of the names of the job's segments
  std::string session_folder_;
};

}  // namespace slipway::detail
