// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "queues.hpp"
#include "slipway/base/error.hpp"

namespace slipway::slurm {

namespace {

constexpr double mib = 1048576;

std::uint32_t spread(double amount, std::uint32_t over) {
  return static_cast<std::uint32_t>(std::ceil(amount / std::max(over, 1u) - 1e-9));
}

// Collects the reasons beside the numbers.
class Reasons {
 public:
  template <class Number>
  Number say(std::string_view what, Number number, const std::string& why) {
    text_ += fmt::format("{:<15} {:>6}  {}\n", what, number, why);
    return number;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

const std::string as_asked = "as asked";

}  // namespace

Demand demand_of_plan(std::string_view text) {
  try {
    const auto plan = nlohmann::json::parse(text);
    Demand demand;
    std::set<std::uint32_t> ranks;
    double memory = 0;
    for (const auto& node : plan.at("nodes")) {
      demand.cpus += node.at("cpus").get<double>();
      demand.gpus += node.at("gpus").get<double>();
      memory += node.at("memory").get<double>();
      ranks.insert(node.at("rank").get<std::uint32_t>());
    }
    demand.ranks = static_cast<std::uint32_t>(std::max<std::size_t>(ranks.size(), 1));
    demand.memory_mib = static_cast<std::uint64_t>(std::ceil(memory / mib));
    return demand;
  } catch (const nlohmann::json::exception&) {
    throw UsageError(
        "the program printed no plan (it must print nothing else on stdout before slipway::launch); say "
        "--ranks-per-node and --cores-per-rank, then no plan is needed");
  }
}

std::optional<std::string> refusal_of_plan(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const bool refused = json.is_object() && json.contains("refused") && json["refused"].is_string();
  return refused ? std::optional(json["refused"].get<std::string>()) : std::nullopt;
}

Layout layout_for(const Demand& demand, const LayoutWish& wish, const MachineProfile& machine) {
  const NodeType& type = machine.node_type(wish.node_type);
  Reasons reasons;
  Layout layout;
  NodeSet& set = layout.nodes;
  set.node_type = wish.node_type;
  if (wish.nodes) {
    set.nodes = reasons.say("nodes", *wish.nodes, as_asked);
  } else if (type.gpus > 0 && spread(demand.gpus, type.gpus) > spread(demand.cpus, std::max(type.usable_cores, 1u))) {
    set.nodes = reasons.say("nodes", spread(demand.gpus, type.gpus),
                            fmt::format("{:g} GPUs of the graph, {} a node", demand.gpus, type.gpus));
  } else if (type.usable_cores > 0) {
    set.nodes =
        reasons.say("nodes", std::max(1u, spread(demand.cpus, type.usable_cores)),
                    fmt::format("{:g} cpus of the graph on {} usable cores a node", demand.cpus, type.usable_cores));
  } else {
    set.nodes =
        reasons.say("nodes", 1u, fmt::format("cores of machine '{}' are unknown: say --nodes for more", machine.name));
  }
  if (wish.ranks_per_node) {
    set.ranks_per_node = reasons.say("ranks a node", *wish.ranks_per_node, as_asked);
  } else {
    const std::uint32_t most = type.usable_cores > 0 ? type.usable_cores : demand.ranks;
    set.ranks_per_node =
        reasons.say("ranks a node", std::clamp(spread(demand.ranks, set.nodes), 1u, std::max(most, 1u)),
                    fmt::format("{} ranks are of use to the graph", demand.ranks));
  }
  if (wish.cores_per_rank) {
    set.cores_per_rank = reasons.say("cores a rank", *wish.cores_per_rank, as_asked);
  } else if (type.usable_cores > 0) {
    set.cores_per_rank = reasons.say("cores a rank", std::max(1u, type.usable_cores / std::max(set.ranks_per_node, 1u)),
                                     fmt::format("{} usable cores of a node, shared evenly", type.usable_cores));
  } else {
    set.cores_per_rank = reasons.say("cores a rank", 1u, "cores of a node are unknown: say --cores-per-rank for more");
  }
  if (wish.gpus_per_node) {
    set.gpus_per_node = reasons.say("GPUs a node", *wish.gpus_per_node, as_asked);
  } else if (demand.gpus > 0) {
    set.gpus_per_node = reasons.say("GPUs a node", std::max(1u, spread(demand.gpus, set.nodes)),
                                    fmt::format("{:g} GPUs of the graph", demand.gpus));
  }
  if (wish.memory_mib) {
    set.memory_mib = reasons.say("MiB a node", *wish.memory_mib, as_asked);
  } else if (demand.memory_mib > 0) {
    const double share = static_cast<double>(demand.memory_mib) / std::max(set.nodes, 1u);
    set.memory_mib = reasons.say("MiB a node", static_cast<std::uint64_t>(std::ceil(share)),
                                 fmt::format("{} MiB of the graph", demand.memory_mib));
    const MemoryPolicy policy = memory_policy(queues_of(wish.partition, wish.qos, type, machine), machine);
    if (machine.forbidden.contains("mem") || policy.request == MemoryRequest::never) set.memory_mib = 0;
  }
  layout.why = reasons.take();
  return layout;
}

}  // namespace slipway::slurm
