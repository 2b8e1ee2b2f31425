// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

// Whether this process was started as a rank, judged by what launchers put into the environment. It is a claim: the
// transport compares it with what MPI says, and stops where "one of 8" meets a world of 1.
namespace slipway {

struct LaunchedBy {
  std::string launcher;               // "Open MPI mpirun", "Slurm srun", …; empty: nobody, this is no rank
  std::optional<std::uint32_t> rank;  // as the launcher counts
  std::optional<std::uint32_t> size;
  bool by_slipway = false;      // started by a slipway process, which reads the run directory and prints the end
  bool binds_by_habit = false;  // the launcher binds ranks to cores though nobody asked for it

  explicit operator bool() const { return !launcher.empty(); }
};

using GetEnvironment = std::function<const char*(const char* name)>;

LaunchedBy launched_by();
LaunchedBy launched_by(const GetEnvironment& get);

// Tells a rank that the process which started it is gone, and nobody will collect it. Cheap: one system call.
class LauncherWatch {
 public:
  LauncherWatch();
  bool gone() const;

 private:
  pid_t parent_;
};

}  // namespace slipway
