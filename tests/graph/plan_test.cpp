// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "example_graphs.hpp"

namespace slipway {
namespace {

TEST(Plan, TableShowsNodesRanksHostsAndCores) {
  const Graph graph = graphs::producer_consumer(3);
  Machine machine = uniform_machine(1, 2, 2);
  machine.ranks[0].cores = "0";
  machine.ranks[1].cores = "1";
  Placement placement = place(graph, machine);
  const std::string table = plan_table({graph, machine, placement});
  EXPECT_EQ(table,
            "program 'producer_consumer': 4 nodes on 2 ranks of 1 host\n"
            "\n"
            "node        type     role     cpus  rank  host   cores\n"
            "producer/0  Service  service     1     0  host0  0\n"
            "producer/1  Service  service     1     1  host0  1\n"
            "producer/2  Service  service     1     1  host0  1\n"
            "consumer    Worker   worker      1     0  host0  0\n"
            "\n"
            "load of a rank (cpus asked for / cpus there): 2 to 2, 2 on average\n"
            "traffic: 3, of it 2 (67 %) between ranks, 0 (0 %) between hosts\n");
}

Graph graph_with_wishes() {
  Graph graph("wishes");
  NodeSpec camera = graphs::worker("camera");
  camera.resources = {.cpus = 0.5, .gpus = 1, .memory = std::uint64_t{3} << 29, .named = {{"camera", 1}}};
  camera.wishes = {.exclusive = true, .on_rank = RankId(3), .on_hosts = "host*"};
  graph.add_node(camera);
  NodeSpec twin = graphs::worker("busy");
  twin.wishes.on_rank = RankId(0);
  graph.add_group(twin, 2);
  return graph;
}

Machine machine_with_devices() {
  Machine machine = uniform_machine(2, 3, 3);
  machine.ranks[3].gpus = 2;
  machine.ranks[3].named = {{"camera", 1}};
  return machine;
}

TEST(Plan, TableNamesIdleAndOverloadedRanksAndWishes) {
  const Graph graph = graph_with_wishes();
  const Machine machine = machine_with_devices();
  const Placement placement = place(graph, machine);
  const std::string table = plan_table({graph, machine, placement});
  for (const char* part : {"idle: ranks 1, 2, 4, 5 (4 without a node)",
                           "overloaded: rank 0 (its computing nodes ask for 2 cpus, it has 1)", "1.5 GiB", "camera 1",
                           "exclusive, rank 3, hosts host*", "1 of its host"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " is missing in\n" << table;
  }
}

TEST(Plan, JsonHoldsTheWholePlacement) {
  const Graph graph = graph_with_wishes();
  const Machine machine = machine_with_devices();
  const Placement placement = place(graph, machine);
  const auto document = nlohmann::json::parse(plan_json({graph, machine, placement}));
  EXPECT_EQ(document["program"], "wishes");
  EXPECT_EQ(document["idle_ranks"], (std::vector{1, 2, 4, 5}));
  EXPECT_EQ(document["overloaded_ranks"], (std::vector{0}));
  EXPECT_EQ(document["hosts"][1]["ranks"], (std::vector{3, 4, 5}));
  EXPECT_EQ(document["ranks"][3]["nodes"], (std::vector<std::string>{"camera"}));
  EXPECT_EQ(document["ranks"][0]["load"]["computing"], 2);
  EXPECT_EQ(document["nodes"][0]["wishes"]["on_rank"], 3);
  EXPECT_EQ(document["nodes"][0]["host"], "host1");
  EXPECT_EQ(document["nodes"][0]["group"], nullptr);
  EXPECT_EQ(document["nodes"][2]["group"], "busy");
  EXPECT_EQ(document["nodes"][2]["index"], 1);
}

TEST(Plan, JsonHoldsEdgesAndTraffic) {
  const Graph graph = graphs::producer_consumer(3);
  const Machine machine = uniform_machine(1, 2, 2);
  const Placement placement = place(graph, machine);
  const auto document = nlohmann::json::parse(plan_json({graph, machine, placement}));
  EXPECT_EQ(document["traffic"]["total"], 3);
  EXPECT_EQ(document["traffic"]["between_ranks"], 2);
  ASSERT_EQ(document["edges"].size(), 3U);
  EXPECT_EQ(document["edges"][1]["from"], "consumer");
  EXPECT_EQ(document["edges"][1]["to"], "producer/1");
}

TEST(Plan, JsonSurvivesNamesThatAreNoUtf8) {
  Graph graph("bad \xff name");
  graph.add_node(graphs::service("a"));
  const Machine machine = uniform_machine(1, 1, 1);
  const Placement placement = place(graph, machine);
  EXPECT_NO_THROW(nlohmann::json::parse(plan_json({graph, machine, placement})));
}

TEST(Plan, DotClustersNodesByRankAndHost) {
  const Graph graph = graph_with_wishes();
  const Machine machine = machine_with_devices();
  const Placement placement = place(graph, machine);
  const std::string dot = plan_dot({graph, machine, placement});
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
  for (const char* part : {"digraph \"wishes\" {", "subgraph cluster_host_1 {\n    label=\"host1\"",
                           "subgraph cluster_rank_3 {", "n0 [label=\"camera\", shape=box", "label=\"rank 1 (idle)\""}) {
    EXPECT_NE(dot.find(part), std::string::npos) << part << " is missing in\n" << dot;
  }
  Graph quotes("a \"quoted\" name");
  quotes.add_node(graphs::service("a"));
  const Placement single = place(quotes, machine);
  EXPECT_NE(plan_dot({quotes, machine, single}).find("digraph \"a \\\"quoted\\\" name\""), std::string::npos);
}

TEST(Plan, RankListJoinsRuns) {
  const auto list = [](std::initializer_list<std::uint32_t> ranks) {
    std::vector<RankId> ids;
    for (const std::uint32_t rank : ranks) ids.push_back(RankId(rank));
    return rank_list(ids);
  };
  EXPECT_EQ(list({}), "");
  EXPECT_EQ(list({4}), "4");
  EXPECT_EQ(list({0, 2, 3, 5, 6, 7, 9}), "0, 2, 3, 5-7, 9");
}

TEST(Plan, FormatsHaveNames) {
  EXPECT_EQ(plan_format_from(""), PlanFormat::table);
  EXPECT_EQ(plan_format_from("table"), PlanFormat::table);
  EXPECT_EQ(plan_format_from("json"), PlanFormat::json);
  EXPECT_EQ(plan_format_from("dot"), PlanFormat::dot);
  EXPECT_EQ(plan_format_from("yaml"), std::nullopt);
}

TEST(PlanRefusal, IsJsonWhateverTheReasonHas) {
  const auto document = nlohmann::json::parse(plan_refusal_json("no \"place\"\n  for \xff"));
  EXPECT_EQ(document.size(), 1u);
  EXPECT_EQ(document.at("refused"), "no \"place\"\n  for \xef\xbf\xbd");
}

}  // namespace
}  // namespace slipway
