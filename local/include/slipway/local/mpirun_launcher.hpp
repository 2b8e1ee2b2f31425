// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Runs the program again under mpirun, on this machine, and comes back with its status.
namespace slipway {

enum class MpirunFlavour : std::uint8_t {
  open_mpi,
  hydra,  // MPICH, Intel MPI, MVAPICH
  unknown,
};

struct Mpirun {
  std::filesystem::path path;
  MpirunFlavour flavour = MpirunFlavour::unknown;
  std::string version;  // "4.1.4"; empty when not understood
  int major = 0;
};

// What `mpirun --version` prints says which one it is.
Mpirun recognise_mpirun(std::filesystem::path path, std::string_view version_text);

// The mpirun that is named (a path, or a name to look for in $PATH), else the one of the MPI that slipway was built
// with, else mpirun or mpiexec in $PATH. Nothing when there is none; UsageError when a named one cannot be run.
std::optional<Mpirun> find_mpirun(const std::string& named = {});

struct MpirunRequest {
  std::vector<std::string> command;  // the program and all its arguments, as they were given
  std::uint32_t ranks = 1;
  std::string mpirun;                     // as for find_mpirun
  std::string mpirun_args;                // more arguments, split at spaces
  std::filesystem::path run_directory{};  // exists already; the ranks get it by SLIPWAY_RUN_DIRECTORY
  bool quiet = false;
  std::chrono::nanoseconds stop_limit = std::chrono::seconds(10);  // for each step of the ranks' own stop
};

// The command line: unbound, with enough slots declared, and such that the death of one rank leaves the others the time
// to say what happened.
std::vector<std::string> mpirun_command(const Mpirun& mpirun, const MpirunRequest& request);

// Why this user may not run it, and what to do; empty when nothing speaks against it. Open MPI refuses root.
std::string mpirun_refusal(const Mpirun& mpirun, const MpirunRequest& request);

// Starts the ranks, waits for the end, and returns the status of the run (see ExitStatus): what status.json says; where
// the run could not say it, what the ranks' last words and mpirun's exit tell, which is then written there. Never 0
// unless the run said so itself. To be called by the main thread.
//
// SIGINT (Ctrl-C), SIGTERM and SIGHUP ask the run to stop cleanly, by RunDirectory::request_stop; a second one ends it
// at once. SIGUSR1 and SIGUSR2 go on to the ranks. When this process dies, mpirun ends too. Ranks that outlive what they should
// are killed. Ranks read no terminal: their stdin is empty unless it is a pipe or a file.
//
// Throws UsageError when there is no mpirun, or this user may not run it.
int run_under_mpirun(const MpirunRequest& request);

}  // namespace slipway
