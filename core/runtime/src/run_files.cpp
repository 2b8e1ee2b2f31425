// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "run_files.hpp"

#include <nlohmann/json.hpp>

#include "slipway/graph/plan.hpp"
#include "slipway/runtime/versions.hpp"

namespace slipway::detail {

namespace {

nlohmann::ordered_json graph_json(const Graph& graph) {
  nlohmann::ordered_json json;
  json["program"] = graph.name();
  json["nodes"] = nlohmann::ordered_json::array();
  for (const Node& node : graph.nodes()) {
    nlohmann::ordered_json entry{{"label", node.label},         {"type", node.type},
                                 {"worker", node.worker},       {"cpus", node.resources.cpus},
                                 {"gpus", node.resources.gpus}, {"memory", node.resources.memory}};
    if (node.group) entry["group"] = graph.group(node.group).label;
    json["nodes"].push_back(std::move(entry));
  }
  json["edges"] = nlohmann::ordered_json::array();
  for (const Edge& edge : graph.edges()) {
    json["edges"].push_back(
        {{"from", graph.node(edge.from).label}, {"to", graph.node(edge.to).label}, {"traffic", edge.traffic}});
  }
  return json;
}

nlohmann::ordered_json versions_json(const Transport& transport) {
  nlohmann::ordered_json json;
  for (const auto& [what, version] : core_versions()) json[what] = version;
  json["transport"] = transport.describe();
  return json;
}

}  // namespace

void write_run_files(const RunDirectory& directory, const RankSetup& setup, const Agreement& agreement) {
  const Graph& graph = setup.program->graph();
  directory.write("graph.json", graph_json(graph).dump(2) + "\n", Durability::process);
  directory.write("placement.json", plan_json({graph, agreement.machine, agreement.placement}), Durability::process);
  directory.write("options.json", setup.options->to_json(), Durability::process);
  directory.write("versions.json", versions_json(*setup.transport).dump(2) + "\n", Durability::process);
}

}  // namespace slipway::detail
