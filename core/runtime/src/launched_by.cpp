// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/launched_by.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace slipway {

namespace {

struct Launcher {
  const char* name;
  const char* rank;  // variable that only a rank started by it has
  const char* size;
};

// Those that set variables of others too come first.
constexpr std::array launchers{
    Launcher{"Open MPI mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Launcher{"PALS mpiexec", "PALS_RANKID", "PALS_SIZE"},
    Launcher{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    Launcher{"MVAPICH mpirun", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
};

std::optional<std::uint32_t> number(const char* text) {
  if (!text) return std::nullopt;
  const std::string_view digits(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool is_set(const char* text) { return text && *text; }

// A batch script has SLURM_PROCID as well, but only a task of a step was started by srun; and a shell started by
// `srun --pty` is one from which people start programs.
std::optional<LaunchedBy> by_slurm(const GetEnvironment& get) {
  if (!is_set(get("SLURM_PROCID")) || !is_set(get("SLURM_STEP_ID")) || !is_set(get("SLURM_SRUN_COMM_HOST"))) {
    return std::nullopt;
  }
  if (is_set(get("SLURM_PTY_PORT"))) return std::nullopt;
  auto size = number(get("SLURM_STEP_NUM_TASKS"));
  if (!size) size = number(get("SLURM_NTASKS"));
  return LaunchedBy{.launcher = "Slurm srun", .rank = number(get("SLURM_PROCID")), .size = size};
}

LaunchedBy find_launcher(const GetEnvironment& get) {
  for (const auto& launcher : launchers) {
    if (is_set(get(launcher.rank))) {
      return {.launcher = launcher.name, .rank = number(get(launcher.rank)), .size = number(get(launcher.size))};
    }
  }
  if (const auto slurm = by_slurm(get)) return *slurm;
  if (is_set(get("PMI_RANK"))) {
    return {.launcher = "PMI mpiexec", .rank = number(get("PMI_RANK")), .size = number(get("PMI_SIZE"))};
  }
  if (is_set(get("PMIX_RANK"))) return {.launcher = "a PMIx launcher", .rank = number(get("PMIX_RANK"))};
  return {};
}

}  // namespace

LaunchedBy launched_by(const GetEnvironment& get) {
  LaunchedBy found = find_launcher(get);
  found.by_slipway = found && is_set(get("SLIPWAY_LAUNCHED"));
  // Open MPI passes the user's own --bind-to on to the ranks in this variable.
  const bool asked_for_binding =
      is_set(get("OMPI_MCA_hwloc_base_binding_policy")) || is_set(get("PRTE_MCA_hwloc_default_binding_policy"));
  found.binds_by_habit = found.launcher == launchers[0].name && !asked_for_binding;
  return found;
}

LaunchedBy launched_by() { return launched_by(::getenv); }

LauncherWatch::LauncherWatch() : parent_(::getppid()) {}

bool LauncherWatch::gone() const { return ::getppid() != parent_; }

}  // namespace slipway
