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

class Graph;

// A list of devices as a launcher left it: numbers, "GPU-…" or "MIG-…" names, in the order of the variable.
struct VisibleGpus {
  std::string variable{};  // CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES, …; empty: no list
  std::vector<std::string> devices{};
  bool dealt = false;  // by the launcher, a part to each rank

  friend bool operator==(const VisibleGpus&, const VisibleGpus&) = default;
};

// Of several such variables the first that is set counts. An empty list, and "NoDevFiles", are no devices. Where none
// is set: as many as Slurm says that the job has on this node (srun --gpu-bind=none leaves no list), else all that
// `dev` has of NVIDIA's.
VisibleGpus visible_gpus(const GetEnvironment& get, const std::filesystem::path& dev = "/dev");

// "4,5,2,3": which of the visible devices is nearest to the first cores, to the next, … Empty: as they are listed.
// Throws UsageError for anything that is no order.
std::vector<std::uint32_t> parse_gpu_order(std::string_view text);

// What the node with most of them asks for.
double most_gpus_wanted(const Graph& graph);

struct GpuShare {
  std::vector<std::string> devices{};
  double amount = 0;    // of devices; below 1 where ranks share one
  bool shared = false;  // with another rank of the host
};

// The ranks of a host, as the dealing sees them.
struct HostShare {
  std::uint32_t rank = 0;  // the place of this one among them
  std::uint32_t ranks = 1;
  bool same_list = true;  // false: they see different lists, so the launcher has dealt already
  double wanted = 0;      // the most devices that any node of the program asks for
};

// The part of a list that a rank takes. Devices are dealt in blocks, so that each is used. Where ranks outnumber them,
// ranks share devices evenly; but if some node wants whole devices, the first ranks get as many as it wants each, and
// the others none. Where the launcher has dealt, the rank takes all it sees. An order that does not fit the list is
// left aside.
GpuShare gpus_of_rank(const VisibleGpus& visible, const HostShare& host, const std::vector<std::uint32_t>& order = {});

}  // namespace slipway
