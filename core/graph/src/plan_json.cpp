// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "slipway/graph/plan.hpp"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

Json numbers_of(const std::vector<RankId>& ranks) {
  Json list = Json::array();
  for (const RankId rank : ranks) list.push_back(rank.value());
  return list;
}

Json named(const std::map<std::string, double>& amounts) {
  Json object = Json::object();
  for (const auto& [name, amount] : amounts) object[name] = amount;
  return object;
}

// Only the wishes that are made.
Json wishes_of(const Wishes& wishes) {
  Json object = Json::object();
  if (!wishes.colocate_with.empty()) object["colocate_with"] = wishes.colocate_with;
  if (wishes.spread) object["spread"] = true;
  if (wishes.exclusive) object["exclusive"] = true;
  if (wishes.on_rank) object["on_rank"] = wishes.on_rank.value();
  if (!wishes.on_hosts.empty()) object["on_hosts"] = wishes.on_hosts;
  return object;
}

Json hosts_of(const Plan& plan) {
  std::vector<Json> ranks(plan.machine.hosts.size(), Json::array());
  for (std::size_t rank = 0; rank < plan.machine.ranks.size(); ++rank) {
    ranks[plan.machine.ranks[rank].host.index()].push_back(rank);
  }
  Json list = Json::array();
  for (std::size_t index = 0; index < plan.machine.hosts.size(); ++index) {
    const Host& host = plan.machine.hosts[index];
    list.push_back({{"name", host.name},
                    {"cores", host.cores},
                    {"gpus", host.gpus},
                    {"memory", host.memory},
                    {"ranks", std::move(ranks[index])}});
  }
  return list;
}

Json ranks_of(const Plan& plan) {
  Json list = Json::array();
  const auto nodes = nodes_of_ranks(plan.placement, plan.machine.ranks.size());
  for (std::size_t rank = 0; rank < plan.machine.ranks.size(); ++rank) {
    const RankSlot& slot = plan.machine.ranks[rank];
    Json labels = Json::array();
    for (const NodeId node : nodes[rank]) labels.push_back(plan.graph.node(node).label);
    list.push_back(
        {{"rank", rank},
         {"host", plan.machine.hosts[slot.host.index()].name},
         {"cores", slot.cores},
         {"cpus", slot.cpus},
         {"gpus", slot.gpus},
         {"memory", slot.memory},
         {"named", named(slot.named)},
         {"load", {{"cpus", plan.placement.load[rank].cpus}, {"computing", plan.placement.load[rank].computing}}},
         {"nodes", std::move(labels)}});
  }
  return list;
}

Json nodes_of(const Plan& plan) {
  Json list = Json::array();
  for (std::size_t index = 0; index < plan.graph.nodes().size(); ++index) {
    const Node& node = plan.graph.nodes()[index];
    const RankId rank = plan.placement.rank_of_node[index];
    Json group = nullptr;
    if (node.group) group = plan.graph.group(node.group).label;
    list.push_back({{"label", node.label},
                    {"type", node.type},
                    {"group", std::move(group)},
                    {"index", node.index},
                    {"worker", node.worker},
                    {"computes", node.computes},
                    {"cpus", node.resources.cpus},
                    {"gpus", node.resources.gpus},
                    {"memory", node.resources.memory},
                    {"named", named(node.resources.named)},
                    {"wishes", wishes_of(node.wishes)},
                    {"rank", rank.value()},
                    {"host", plan.machine.hosts[plan.machine.ranks[rank.index()].host.index()].name}});
  }
  return list;
}

Json edges_of(const Graph& graph) {
  Json list = Json::array();
  for (const Edge& edge : graph.edges()) {
    list.push_back(
        {{"from", graph.node(edge.from).label}, {"to", graph.node(edge.to).label}, {"traffic", edge.traffic}});
  }
  return list;
}

// Names come from users and from the system: text that is no UTF-8 must not keep a run from starting.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string plan_refusal_json(std::string_view reason) { return text_of({{"refused", reason}}); }

std::string plan_json(const Plan& plan) {
  Json document;
  document["program"] = plan.graph.name();
  document["traffic"] = {{"total", total_traffic(plan.graph)},
                         {"between_ranks", traffic_between_ranks(plan.graph, plan.placement)},
                         {"between_hosts", traffic_between_hosts(plan.graph, plan.machine, plan.placement)}};
  document["idle_ranks"] = numbers_of(plan.placement.idle_ranks);
  document["overloaded_ranks"] = numbers_of(overloaded_ranks(plan.machine, plan.placement));
  document["hosts"] = hosts_of(plan);
  document["ranks"] = ranks_of(plan);
  document["nodes"] = nodes_of(plan);
  document["edges"] = edges_of(plan.graph);
  return text_of(document);
}

}  // namespace slipway
