// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/graph.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "slipway/base/error.hpp"
#include "slipway/graph/validate.hpp"

namespace slipway {
namespace {

NodeSpec service(std::string label) { return {.label = std::move(label), .type = "Service"}; }

std::string problems_of(const Graph& graph) {
  std::string text;
  for (const std::string& problem : find_problems(graph)) text += problem + "\n";
  return text;
}

void expect_only_problem(const Graph& graph, const std::string& part) {
  const auto problems = find_problems(graph);
  ASSERT_EQ(problems.size(), 1U) << problems_of(graph);
  EXPECT_NE(problems.front().find(part), std::string::npos) << problems.front();
}

TEST(Graph, LabelsTheMembersOfAGroup) {
  Graph graph("program");
  const GroupId group = graph.add_group(service("producer"), 3);
  const NodeId single = graph.add_node(service("consumer"));
  EXPECT_EQ(graph.group(group).members, (std::vector{NodeId(0), NodeId(1), NodeId(2)}));
  EXPECT_EQ(graph.node(NodeId(2)).label, "producer/2");
  EXPECT_EQ(graph.node(NodeId(2)).index, 2U);
  EXPECT_EQ(graph.node(NodeId(2)).group, group);
  EXPECT_FALSE(graph.node(single).group);
  EXPECT_EQ(graph.find_node("producer/1"), NodeId(1));
  EXPECT_EQ(graph.find_group("producer"), group);
  EXPECT_FALSE(graph.find_node("producer"));
  EXPECT_NO_THROW(validate(graph));
}

TEST(Graph, KeepsOneEdgeForEachPair) {
  Graph graph("program");
  graph.add_group(service("a"), 2);
  graph.add_edge(NodeId(0), NodeId(1));
  graph.add_edge(NodeId(0), NodeId(1), 5);
  graph.add_edge(NodeId(0), NodeId(1));
  graph.add_edge(NodeId(1), NodeId(0));
  ASSERT_EQ(graph.edges().size(), 2U);
  EXPECT_EQ(graph.edges()[0].traffic, 5);
  EXPECT_EQ(graph.edges()[1].traffic, 1);
}

TEST(Graph, NumbersDefinitionsNotDeclarations) {
  Graph graph("program");
  const NodeId declared = graph.declare_node(service("a"));
  const NodeId other = graph.add_node(service("b"));
  graph.define(declared);
  EXPECT_EQ(graph.node(other).definition_number, 0U);
  EXPECT_EQ(graph.node(declared).definition_number, 1U);
}

TEST(Validate, NamesEachProblem) {
  {
    Graph graph("program");
    expect_only_problem(graph, "has no nodes");
  }
  {
    Graph graph("program");
    graph.declare_node(service("a"));
    expect_only_problem(graph, "node 'a' is declared but never defined");
  }
  {
    Graph graph("program");
    const NodeId a = graph.add_node(service("a"));
    graph.define(a);
    expect_only_problem(graph, "node 'a' is defined twice");
  }
  {
    Graph graph("program");
    graph.add_node(service("a"));
    graph.add_node(service("a"));
    expect_only_problem(graph, "label 'a' is used twice");
  }
  {
    Graph graph("program");
    graph.add_node(service("a"));
    graph.add_group(service("a"), 1);
    expect_only_problem(graph, "label 'a' is used twice");
  }
  {
    Graph graph("program");
    graph.add_node(service("a"));
    graph.add_group(service("none"), 0);
    expect_only_problem(graph, "group 'none' is empty");
  }
}

TEST(Validate, ChecksLabels) {
  for (const std::string& label : std::vector<std::string>{"", "a b", "caf\xc3\xa9", "a:b", "a\n"}) {
    Graph graph("program");
    graph.add_node(service(label));
    expect_only_problem(graph, "label");
  }
  Graph long_label("program");
  long_label.add_node(service(std::string(201, 'x')));
  expect_only_problem(long_label, "201 characters");
  for (const std::string& label : std::vector<std::string>{"a", "A.b-c_9/x", std::string(200, 'x')}) {
    Graph graph("program");
    graph.add_node(service(label));
    EXPECT_EQ(problems_of(graph), "");
  }
  Graph group("program");
  group.add_group(service("bad label"), 1000);
  expect_only_problem(group, "group 'bad label' has a bad label");
}

TEST(Validate, ChecksEdgesAndAmounts) {
  {
    Graph graph("program");
    graph.add_node(service("a"));
    graph.add_edge(NodeId(0), NodeId(7));
    expect_only_problem(graph, "edge from 'a' to #7 names an unknown node");
  }
  {
    Graph graph("program");
    graph.add_node(service("a"));
    graph.add_edge(NodeId(0), NodeId());
    expect_only_problem(graph, "to #none names an unknown node");
  }
  for (const double amount :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Graph graph("program");
    graph.add_node(service("a"));
    graph.add_edge(NodeId(0), NodeId(0), amount);
    graph.set_resources(NodeId(0), {.cpus = amount, .gpus = amount, .named = {{"camera", amount}}});
    EXPECT_EQ(find_problems(graph).size(), 4U) << problems_of(graph);
  }
}

TEST(Validate, FindsWishesThatNoMachineCanHold) {
  const auto with = [](const Wishes& first, const Wishes& second) {
    Graph graph("program");
    NodeSpec a = service("a");
    NodeSpec b = service("b");
    a.wishes = first;
    b.wishes = second;
    graph.add_node(a);
    graph.add_node(b);
    return graph;
  };
  expect_only_problem(with({.colocate_with = "a"}, {}), "with itself");
  expect_only_problem(with({.colocate_with = "c"}, {}), "no node or group has that label");
  expect_only_problem(with({.colocate_with = "b", .exclusive = true}, {}), "node 'a' wishes a rank of its own");
  expect_only_problem(with({.colocate_with = "b"}, {.exclusive = true}), "node 'b' wishes a rank of its own");
  expect_only_problem(with({.spread = true}, {}), "node 'a' wishes to be spread over hosts");
  expect_only_problem(with({.colocate_with = "b", .on_rank = RankId(1)}, {.on_rank = RankId(2)}),
                      "node 'b' wishes to be on rank 2");
}

TEST(Validate, FindsContradictionsInsideGroups) {
  Graph graph("program");
  graph.add_node(service("hub"));
  graph.add_group({.label = "g", .wishes = {.colocate_with = "hub", .spread = true}}, 2);
  expect_only_problem(graph, "node 'g/1' wishes to be on another host than its group 'g'");

  Graph sizes("program");
  sizes.add_group(service("three"), 3);
  sizes.add_group({.label = "two", .wishes = {.colocate_with = "three"}}, 2);
  EXPECT_EQ(find_problems(sizes).size(), 2U);
}

TEST(Validate, TellsAllProblemsAtOnceWithThoseOfTheCaller) {
  Graph graph("my_program");
  graph.add_problem("handle 'x' belongs to program 'other' (...)");
  graph.declare_node(service("a"));
  graph.add_group(service("none"), 0);
  try {
    validate(graph);
    FAIL() << "a graph with three problems passed";
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("program 'my_program' cannot start (3 problems):\n  - handle 'x' belongs"), 0U) << text;
    EXPECT_NE(text.find("node 'a' is declared"), std::string::npos);
    EXPECT_NE(text.find("group 'none' is empty"), std::string::npos);
  }
}

TEST(Colocation, PairsMemberWithMemberOfAGroupOfTheSameSize) {
  Graph graph("program");
  graph.add_group(service("shard"), 2);
  graph.add_group({.label = "trainer", .wishes = {.colocate_with = "shard"}}, 2);
  graph.add_node({.label = "evaluator", .wishes = {.colocate_with = "trainer/1"}});
  EXPECT_EQ(problems_of(graph), "");
  const auto sets = colocated_sets(graph);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0], (std::vector{NodeId(0), NodeId(2)}));
  EXPECT_EQ(sets[1], (std::vector{NodeId(1), NodeId(3), NodeId(4)}));
}

}  // namespace
}  // namespace slipway
