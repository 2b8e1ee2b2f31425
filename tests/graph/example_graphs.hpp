// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "slipway/graph/graph.hpp"

// Graphs of the shapes that the example programs have.
namespace slipway::graphs {

inline NodeSpec service(std::string label) { return {.label = std::move(label), .type = "Service"}; }
inline NodeSpec worker(std::string label) {
  return {.label = std::move(label), .type = "Worker", .worker = true, .computes = true};
}

inline void connect(Graph& graph, const std::vector<NodeId>& callers, const std::vector<NodeId>& callees,
                    double traffic) {
  for (const NodeId from : callers) {
    for (const NodeId to : callees) graph.add_edge(from, to, traffic);
  }
}

inline Graph producer_consumer(std::size_t producers) {
  Graph graph("producer_consumer");
  const GroupId group = graph.add_group(service("producer"), producers);
  const NodeId consumer = graph.add_node(worker("consumer"));
  connect(graph, {consumer}, graph.group(group).members, 1);
  return graph;
}

inline Graph parameter_server(std::size_t trainers, std::size_t shards) {
  Graph graph("parameter_server");
  const GroupId shard = graph.add_group(service("shard"), shards);
  const GroupId trainer = graph.add_group(worker("trainer"), trainers);
  const NodeId evaluator = graph.add_node(worker("evaluator"));
  connect(graph, graph.group(trainer).members, graph.group(shard).members, 10);
  connect(graph, {evaluator}, graph.group(shard).members, 1);
  return graph;
}

inline Graph map_reduce(std::size_t mappers, std::size_t reducers) {
  Graph graph("map_reduce");
  const GroupId reducer = graph.add_group(service("reducer"), reducers);
  const GroupId mapper = graph.add_group(worker("mapper"), mappers);
  const NodeId driver = graph.add_node(worker("driver"));
  connect(graph, graph.group(mapper).members, graph.group(reducer).members, 1);
  connect(graph, {driver}, graph.group(reducer).members, 0.1);
  return graph;
}

inline Graph evolution_strategies(std::size_t rollouts) {
  Graph graph("evolution_strategies");
  NodeSpec rollout = service("rollout");
  rollout.computes = true;
  const GroupId group = graph.add_group(rollout, rollouts);
  const NodeId master = graph.add_node(worker("master"));
  connect(graph, {master}, graph.group(group).members, 1);
  return graph;
}

// Actors with a replay shard of their own and a learner: most traffic stays inside a pair, but members of one pair are
// far apart in the order of definition.
inline Graph actor_learner(std::size_t actors) {
  Graph graph("actor_learner");
  const GroupId replay = graph.add_group(service("replay"), actors);
  const GroupId actor = graph.add_group(worker("actor"), actors);
  const NodeId learner = graph.add_node(worker("learner"));
  for (std::size_t index = 0; index < actors; ++index) {
    graph.add_edge(graph.group(actor).members[index], graph.group(replay).members[actors - 1 - index], 20);
  }
  connect(graph, {learner}, graph.group(replay).members, 2);
  return graph;
}

// A simulation on a grid: every cell talks to its neighbours, cells are defined in a random order.
inline Graph shuffled_grid(std::size_t width, std::size_t height, std::uint32_t seed) {
  Graph graph("grid");
  const GroupId cell = graph.add_group(worker("cell"), width * height);
  std::vector<NodeId> cells = graph.group(cell).members;
  std::mt19937 engine(seed);
  for (std::size_t index = cells.size(); index > 1; --index) std::swap(cells[index - 1], cells[engine() % index]);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      if (x + 1 < width) graph.add_edge(cells[y * width + x], cells[y * width + x + 1]);
      if (y + 1 < height) graph.add_edge(cells[y * width + x], cells[(y + 1) * width + x]);
    }
  }
  return graph;
}

}  // namespace slipway::graphs
