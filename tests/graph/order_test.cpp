// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "slipway/graph/agreement.hpp"

namespace slipway {
namespace {

NodeSpec service(std::string label) { return {.label = std::move(label), .type = "Service"}; }

std::string labels(const Graph& graph, const std::vector<NodeId>& order) {
  std::string text;
  for (const NodeId id : order) text += graph.node(id).label + " ";
  return text;
}

TEST(Order, BuildsCalleesFirstAndDestroysCallersFirstContract8) {
  Graph graph("program");
  const NodeId consumer = graph.declare_node(service("consumer"));
  const NodeId producer = graph.add_node(service("producer"));
  const NodeId source = graph.add_node(service("source"));
  graph.define(consumer);
  graph.add_edge(consumer, producer);
  graph.add_edge(producer, source);
  EXPECT_EQ(labels(graph, construction_order(graph)), "source producer consumer ");
  EXPECT_EQ(labels(graph, destruction_order(graph)), "consumer producer source ");
  EXPECT_TRUE(call_cycles(graph).empty());
}

TEST(Order, FreeNodesKeepTheOrderOfDefinition) {
  Graph graph("program");
  const NodeId late = graph.declare_node(service("late"));
  graph.add_node(service("b"));
  graph.add_node(service("a"));
  graph.define(late);
  EXPECT_EQ(labels(graph, construction_order(graph)), "b a late ");
}

TEST(Order, ACycleStandsTogetherInTheOrderOfDefinitionContract8) {
  Graph graph("program");
  const NodeId a = graph.declare_node(service("a"));
  const NodeId b = graph.add_node(service("b"));
  graph.define(a);
  const NodeId top = graph.add_node(service("top"));
  const NodeId base = graph.add_node(service("base"));
  graph.add_edge(a, b);
  graph.add_edge(b, a);
  graph.add_edge(top, a);
  graph.add_edge(b, base);
  graph.add_edge(base, base);
  EXPECT_EQ(labels(graph, construction_order(graph)), "base b a top ");
  EXPECT_EQ(labels(graph, destruction_order(graph)), "top a b base ");
  ASSERT_EQ(call_cycles(graph).size(), 1U);
  EXPECT_EQ(call_cycles(graph)[0], (std::vector{b, a}));
}

TEST(Order, ALongChainNeedsNoDeepStack) {
  constexpr std::uint32_t length = 200000;
  Graph graph("chain");
  graph.add_group(service("n"), length);
  for (std::uint32_t index = 0; index + 1 < length; ++index) graph.add_edge(NodeId(index), NodeId(index + 1));
  const auto order = construction_order(graph);
  ASSERT_EQ(order.size(), length);
  EXPECT_EQ(order.front(), NodeId(length - 1));
}

TEST(Order, RandomGraphsHaveCalleesFirstOutsideCycles) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 engine(seed);
    const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
    const std::uint32_t count = 2 + random() % 60;
    Graph graph("random");
    graph.add_group(service("n"), count);
    for (std::uint32_t edge = 0; edge < count * 3 / 2; ++edge) {
      graph.add_edge(NodeId(random() % count), NodeId(random() % count));
    }
    const auto order = construction_order(graph);
    ASSERT_EQ(order.size(), count);
    std::vector<std::size_t> position(count);
    for (std::size_t index = 0; index < count; ++index) position[order[index].index()] = index;
    std::vector<std::size_t> cycle_of(count, count);
    const auto cycles = call_cycles(graph);
    for (std::size_t index = 0; index < cycles.size(); ++index) {
      for (const NodeId id : cycles[index]) cycle_of[id.index()] = index;
      EXPECT_TRUE(std::is_sorted(cycles[index].begin(), cycles[index].end()));
    }
    for (const Edge& edge : graph.edges()) {
      const bool in_cycle =
          cycle_of[edge.from.index()] < count && cycle_of[edge.from.index()] == cycle_of[edge.to.index()];
      if (edge.from == edge.to || in_cycle) continue;
      EXPECT_LT(position[edge.to.index()], position[edge.from.index()]) << "seed " << seed;
    }
  }
}

Graph sample(double cpus = 1, const char* last_type = "Service") {
  Graph graph("sample");
  graph.add_group(service("a"), 2);
  graph.add_node({.label = "b", .type = last_type, .resources = {.cpus = cpus}});
  graph.add_edge(NodeId(2), NodeId(0), 0.1);
  return graph;
}

TEST(Agreement, EqualGraphsAgreeContract7) {
  EXPECT_EQ(agreement_items(sample()), agreement_items(sample()));
  EXPECT_EQ(digest(agreement_items(sample())), digest(agreement_items(sample())));
  EXPECT_EQ(first_difference(agreement_items(sample()), agreement_items(sample())), std::nullopt);
}

TEST(Agreement, NamesTheFirstDifferenceContract7) {
  const auto here = agreement_items(sample());
  const auto difference = [&](const Graph& other) {
    EXPECT_NE(digest(here), digest(agreement_items(other)));
    return first_difference(here, agreement_items(other)).value_or("");
  };
  EXPECT_EQ(difference(sample(1 + 1e-15)).find("node 'b' differs (here: type Service number 2 cpus=1 "), 0U);
  EXPECT_EQ(difference(sample(1, "Other")).find("node 'b' differs"), 0U);
  Graph more = sample();
  more.add_node(service("c"));
  EXPECT_EQ(difference(more), "node 'c' exists only there");
  Graph traffic = sample();
  traffic.add_edge(NodeId(2), NodeId(0), 0.2);
  EXPECT_NE(difference(traffic).find("calls 0 x0.1; there"), std::string::npos);
  Graph size("sample");
  size.add_group(service("a"), 3);
  EXPECT_EQ(difference(size), "group 'a' differs (here: 2 of type Service; there: 3 of type Service)");
}

}  // namespace
}  // namespace slipway
