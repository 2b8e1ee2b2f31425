// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "example_graphs.hpp"
#include "placement_checks.hpp"
#include "slipway/base/error.hpp"
#include "slipway/graph/placement.hpp"

// Traffic and balance of place() against round-robin, against the best there is, and at scale.
namespace slipway {
namespace {

struct Figures {
  double between_ranks = 0;
  double between_hosts = 0;
  double computing = 0;  // most on one rank
};

Figures measure(const Graph& graph, const Machine& machine, const Placement& placement) {
  Figures figures{traffic_between_ranks(graph, placement), traffic_between_hosts(graph, machine, placement)};
  for (const RankLoad& load : placement.load) figures.computing = std::max(figures.computing, load.computing);
  return figures;
}

// The largest load that the rule of place() lets one rank have.
double most_allowed(double load, double ranks) { return std::max(1.1 * load / ranks, std::ceil(load / ranks)) + 1e-6; }

double computing_cpus(const Graph& graph) {
  double sum = 0;
  for (const Node& node : graph.nodes()) sum += node.computes ? node.resources.cpus : 0;
  return sum;
}

struct Shape {
  std::string name;
  Graph graph;
};

std::vector<Shape> example_shapes() {
  using namespace graphs;
  return {{"producer_consumer 3->1", producer_consumer(3)},
          {"parameter_server 4x2+1", parameter_server(4, 2)},
          {"parameter_server 4x4+1", parameter_server(4, 4)},
          {"parameter_server 8x2+1", parameter_server(8, 2)},
          {"map_reduce 4x2", map_reduce(4, 2)},
          {"map_reduce 8x4", map_reduce(8, 4)},
          {"evolution 8+1", evolution_strategies(8)},
          {"actor_learner 8", actor_learner(8)},
          {"grid 16x16, shuffled", shuffled_grid(16, 16, 1)}};
}

struct Layout {
  std::size_t hosts;
  std::size_t ranks_per_host;
};

class Comparison {
 public:
  Comparison() {
    std::printf("%-24s %-5s %9s | %-19s | %s\n", "program", "ranks", "traffic", "between ranks",
                "between hosts (placed, round-robin)");
  }

  // On hosts with a core a rank.
  void add(const Shape& shape, Layout layout) {
    const Machine machine =
        uniform_machine(layout.hosts, layout.ranks_per_host, static_cast<double>(layout.ranks_per_host));
    const Placement placement = place(shape.graph, machine);
    const Figures placed = measure(shape.graph, machine, placement);
    const Figures dealt = measure(shape.graph, machine, place_round_robin(shape.graph, machine));
    std::printf("%-24s %zux%-3zu %9.1f | %8.1f %8.1f   | %8.1f %8.1f\n", shape.name.c_str(), layout.hosts,
                layout.ranks_per_host, total_traffic(shape.graph), placed.between_ranks, dealt.between_ranks,
                placed.between_hosts, dealt.between_hosts);
    EXPECT_LE(placed.between_ranks, dealt.between_ranks) << shape.name;
    EXPECT_LE(placed.between_hosts, dealt.between_hosts) << shape.name;
    const auto ranks = static_cast<double>(machine.ranks.size());
    EXPECT_LE(placed.computing, most_allowed(computing_cpus(shape.graph), ranks)) << shape.name;
    better_ranks_ += placed.between_ranks < dealt.between_ranks ? 1 : 0;
    better_hosts_ += placed.between_hosts < dealt.between_hosts ? 1 : 0;
  }

  int better_ranks() const { return better_ranks_; }
  int better_hosts() const { return better_hosts_; }

 private:
  int better_ranks_ = 0;
  int better_hosts_ = 0;
};

TEST(Traffic, IsNeverAboveThatOfRoundRobin) {
  Comparison comparison;
  for (const Shape& shape : example_shapes()) {
    for (const Layout layout : {Layout{1, 2}, {1, 3}, {1, 4}, {2, 2}, {2, 4}, {4, 4}}) comparison.add(shape, layout);
  }
  EXPECT_GE(comparison.better_ranks(), 16);
  EXPECT_GE(comparison.better_hosts(), 18);
}

// The least traffic between ranks of all placements that are balanced as place() promises, by trying each.
double least_traffic(const Graph& graph, std::uint32_t ranks) {
  const std::size_t nodes = graph.nodes().size();
  const double most_cpus = most_allowed(static_cast<double>(nodes), ranks);
  const double most_computing = most_allowed(computing_cpus(graph), ranks);
  const std::size_t fewest_busy = std::min<std::size_t>(ranks, nodes);
  Placement placement;
  placement.rank_of_node.assign(nodes, RankId(0));
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t advanced = 0; advanced < nodes;) {
    std::vector<double> cpus(ranks);
    std::vector<double> computing(ranks);
    for (std::size_t node = 0; node < nodes; ++node) {
      const std::size_t rank = placement.rank_of_node[node].index();
      cpus[rank] += 1;
      computing[rank] += graph.nodes()[node].computes ? 1 : 0;
    }
    const bool balanced = *std::max_element(cpus.begin(), cpus.end()) <= most_cpus &&
                          *std::max_element(computing.begin(), computing.end()) <= most_computing &&
                          ranks - static_cast<std::size_t>(std::count(cpus.begin(), cpus.end(), 0.0)) >= fewest_busy;
    if (balanced) least = std::min(least, traffic_between_ranks(graph, placement));
    for (advanced = 0; advanced < nodes; ++advanced) {  // counts up in base `ranks`
      RankId& digit = placement.rank_of_node[advanced];
      digit = RankId((digit.value() + 1) % ranks);
      if (digit != RankId(0)) break;
    }
  }
  return least;
}

TEST(Traffic, IsTheLeastPossibleOnSmallPrograms) {
  using namespace graphs;
  const std::vector<Shape> shapes = {{"producer_consumer 3->1", producer_consumer(3)},
                                     {"parameter_server 4x2+1", parameter_server(4, 2)},
                                     {"parameter_server 3x3+1", parameter_server(3, 3)},
                                     {"map_reduce 4x2", map_reduce(4, 2)},
                                     {"evolution 6+1", evolution_strategies(6)},
                                     {"actor_learner 3", actor_learner(3)},
                                     {"grid 4x2", shuffled_grid(4, 2, 1)}};
  for (const Shape& shape : shapes) {
    for (std::uint32_t ranks = 2; ranks <= 4; ++ranks) {
      const Placement placement = place(shape.graph, uniform_machine(1, ranks, ranks));
      EXPECT_NEAR(traffic_between_ranks(shape.graph, placement), least_traffic(shape.graph, ranks), 1e-9)
          << shape.name << " on " << ranks << " ranks";
    }
  }
}

TEST(Traffic, HeavyEdgesStayOnOneRankThenOnOneHost) {
  const Graph graph = graphs::actor_learner(8);
  const Machine pairs_fit = uniform_machine(2, 4, 4);
  EXPECT_LE(traffic_between_ranks(graph, place(graph, pairs_fit)), 16);  // none of the edges of 20
  const Machine one_each = uniform_machine(4, 5, 5);
  const Placement placement = place(graph, one_each);
  EXPECT_LE(traffic_between_hosts(graph, one_each, placement), 16);
  EXPECT_EQ(placement.idle_ranks.size(), 3U);
}

void place_large(const Shape& shape, Layout layout) {
  const Machine machine =
      uniform_machine(layout.hosts, layout.ranks_per_host, static_cast<double>(layout.ranks_per_host));
  const auto start = std::chrono::steady_clock::now();
  const Placement placement = place(shape.graph, machine);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const Figures placed = measure(shape.graph, machine, placement);
  const Figures dealt = measure(shape.graph, machine, place_round_robin(shape.graph, machine));
  std::printf("%-24s %5zu nodes on %zux%zu ranks: %.3f s; between ranks %.0f (round-robin %.0f), hosts %.0f (%.0f)\n",
              shape.name.c_str(), shape.graph.nodes().size(), layout.hosts, layout.ranks_per_host, took.count(),
              placed.between_ranks, dealt.between_ranks, placed.between_hosts, dealt.between_hosts);
  EXPECT_LT(placed.between_ranks, dealt.between_ranks);
  EXPECT_LT(placed.between_hosts, dealt.between_hosts);
  EXPECT_TRUE(placement.idle_ranks.empty());
}

TEST(Scale, TenThousandNodesOnAThousandRanks) {
  const Layout layout{20, 50};
  place_large({"grid 100x100, shuffled", graphs::shuffled_grid(100, 100, 1)}, layout);
  place_large({"actor_learner 5000", graphs::actor_learner(5000)}, layout);
  place_large({"parameter_server 9990x9", graphs::parameter_server(9990, 9)}, layout);
}

TEST(Scale, ManyNodesThatJustFitArePlacedAndOneMoreIsRefused) {
  const auto packed = [](std::size_t nodes) {
    Graph graph("packed");
    NodeSpec spec = graphs::worker("node");
    spec.resources.gpus = 0.55;  // 10 fit on a rank with 6
    graph.add_group(spec, nodes);
    return graph;
  };
  Machine machine = uniform_machine(20, 10, 10);
  for (RankSlot& slot : machine.ranks) slot.gpus = 6;
  EXPECT_NO_THROW(place(packed(2000), machine));
  EXPECT_THROW(place(packed(2001), machine), UsageError);
}

}  // namespace
}  // namespace slipway
