// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "slipway/runtime/launched_by.hpp"

// Which cores this process may use. A core is what the system schedules on (a hardware thread).
namespace slipway {

// Numbers of cores, ascending.
using Cores = std::vector<std::uint32_t>;

// "0-3,8"; "none" when empty.
std::string format_cores(const Cores& cores);

// What the calling thread may run on, and hence threads that it starts.
Cores allowed_cores();

// How many threads can really run at once: the allowed cores, or less where a control group grants less processor time.
std::uint32_t usable_cores();
// The processor time that the control groups of this process grant, in cores; 0: no limit. For tests: other roots.
double granted_processor_time(const std::filesystem::path& proc_self_cgroup = "/proc/self/cgroup",
                              const std::filesystem::path& root = "/sys/fs/cgroup");

struct Widening {
  Cores before;
  Cores after;
  std::string advice;  // one line for the user when the rank stays on too few cores; else empty
};

// mpirun binds each of one or two ranks to one core, which threads of a rank would share. Widens the calling thread's
// mask to the cores that the launcher itself runs on. To be called at start, before other threads exist. A binding that
// somebody asked for is left as it is; `wanted` is the number of threads that the rank will keep busy.
Widening widen_affinity(const LaunchedBy& launcher, std::uint32_t wanted);

// For --slipway-show-binding: "rank 3 of 8 on alpha: cores 0-3 (4 of the 8 online)".
std::string describe_binding(std::uint32_t rank, std::uint32_t ranks, const std::string& host);

}  // namespace slipway
