// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/runtime/launched_by.hpp"

// Which GPUs a rank uses, out of those that its launcher lets it see. Nothing here asks a driver.
namespace slipway {

// A list of devices as a launcher left it: numbers, "GPU-…" or "MIG-…" names, in the order of the variable.
struct VisibleGpus {
  std::string variable{};  // CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES, …; empty: no list
  std::vector<std::string> devices{};

  friend bool operator==(const VisibleGpus&, const VisibleGpus&) = default;
};

// Of several such variables the first that is set counts. An empty list, and "NoDevFiles", are no devices. Where none is
// set: as many as Slurm says that the job has on this node (srun --gpu-bind=none leaves no list), else all that `dev` has
// of NVIDIA's.
VisibleGpus visible_gpus(const GetEnvironment& get, const std::filesystem::path& dev = "/dev");

// "4,5,2,3": which of the visible devices is nearest to the first cores, to the next, … Empty: as they are listed.
// Throws UsageError for anything that is no order.
std::vector<std::uint32_t> parse_gpu_order(std::string_view text);

struct GpuShare {
  std::vector<std::string> devices{};
  double amount = 0;    // of devices; below 1 where ranks share one
  bool shared = false;  // with another rank of the host
};

// The part of a list that one of the ranks of a host takes. Devices are dealt in blocks, so that each is used; ranks
// beyond the number of devices share them evenly. `same_list`: all ranks of the host see this list; else the launcher
// has dealt already, and the rank takes all it sees. An order that does not fit the list is left aside.
GpuShare gpus_of_rank(const VisibleGpus& visible, std::uint32_t local_rank, std::uint32_t local_ranks, bool same_list,
                      const std::vector<std::uint32_t>& order = {});

}  // namespace slipway
