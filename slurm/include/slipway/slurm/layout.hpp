// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

// What a program's graph asks for, all nodes together.
struct Demand {
  std::uint32_t ranks = 1;  // that are of use: no more than sets of nodes that can be apart
  double cpus = 0;
  double gpus = 0;
  std::uint64_t memory_mib = 0;
};

// From what `PROGRAM --slipway-plan=json` printed. Throws UsageError when that is no plan.
Demand demand_of_plan(std::string_view plan_json);

// Why the graph has no place, where the program printed that instead of a plan; nothing for any other text.
std::optional<std::string> refusal_of_plan(std::string_view plan_json);

// What the user fixed; the rest is derived.
struct LayoutWish {
  std::string node_type{};
  std::string partition{};
  std::string qos{};
  std::optional<std::uint32_t> nodes{};
  std::optional<std::uint32_t> ranks_per_node{};
  std::optional<std::uint32_t> cores_per_rank{};
  std::optional<std::uint32_t> gpus_per_node{};
  std::optional<std::uint64_t> memory_mib{};
};

struct Layout {
  NodeSet nodes;
  std::string why;  // a line for each number: where it comes from
};

// Nodes: as asked, else as many as hold the cpus. Ranks a node: as asked, else the ranks of the graph spread over the
// nodes. Cores a rank: as asked, else an equal share of a node's usable cores; 1 where these are unknown. GPUs a node:
// as asked, else what the graph asks for, spread over the nodes, and no more than a node has. Memory a node: as asked,
// else what the graph asks for, where the site lets jobs ask.
Layout layout_for(const Demand& demand, const LayoutWish& wish, const MachineProfile& machine);

}  // namespace slipway::slurm
