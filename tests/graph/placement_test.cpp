// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_graphs.hpp"
#include "placement_checks.hpp"
#include "slipway/base/error.hpp"

namespace slipway {
namespace {

using graphs::service;
using graphs::worker;

NodeSpec with(NodeSpec spec, Wishes wishes) {
  spec.wishes = std::move(wishes);
  return spec;
}

NodeSpec with(NodeSpec spec, Resources resources) {
  spec.resources = std::move(resources);
  return spec;
}

void expect_refused(const Graph& graph, const Machine& machine, const std::string& part) {
  try {
    place(graph, machine);
    ADD_FAILURE() << "placed although: " << part;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

double most_computing(const Placement& placement) {
  double most = 0;
  for (const RankLoad& load : placement.load) most = std::max(most, load.computing);
  return most;
}

TEST(Pattern, MatchesAsAShellDoes) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("node*", "node17"));
  EXPECT_TRUE(matches_pattern("n?de1[0-9]", "node17"));
  EXPECT_TRUE(matches_pattern("*gpu*-?", "a-gpu-12-3"));
  EXPECT_TRUE(matches_pattern("x[!a-c]", "xd"));
  EXPECT_TRUE(matches_pattern("x[]a]", "x]"));
  EXPECT_TRUE(matches_pattern("x[a", "x[a"));
  EXPECT_TRUE(matches_pattern("[a-]", "-"));
  EXPECT_FALSE(matches_pattern("x[!a-c]", "xb"));
  EXPECT_FALSE(matches_pattern("node", "node1"));
  EXPECT_FALSE(matches_pattern("", "a"));
  EXPECT_FALSE(matches_pattern("node[0-4]", "node7"));
  EXPECT_FALSE(matches_pattern(std::string(30, '*') + "b", std::string(1000, 'a')));
}

TEST(Placement, GivesEachNodeARankWhileThereIsOneAndNamesIdleRanks) {
  const Graph graph = graphs::producer_consumer(3);
  const Machine machine = uniform_machine(2, 4, 4);
  const Placement placement = place(graph, machine);
  checks::expect_sound(graph, machine, placement);
  EXPECT_EQ(placement.idle_ranks.size(), 4U);
  EXPECT_EQ(traffic_between_hosts(graph, machine, placement), 0);
}

TEST(Placement, HandlesMoreNodesThanRanks) {
  const Graph graph = graphs::map_reduce(10, 7);
  const Machine machine = uniform_machine(1, 4, 4);
  const Placement placement = place(graph, machine);
  checks::expect_sound(graph, machine, placement);
  EXPECT_TRUE(placement.idle_ranks.empty());
  for (const RankLoad& load : placement.load) EXPECT_LE(load.cpus, 5);
  EXPECT_LE(most_computing(placement), 3);
}

TEST(Placement, ComputingNodesDoNotShareARankWhileOneIsFree) {
  for (std::size_t workers = 1; workers <= 6; ++workers) {
    for (std::size_t services = 0; services <= 20; ++services) {
      Graph graph("workers");
      const GroupId group = graph.add_group(worker("worker"), workers);
      for (std::size_t index = 0; index < services; ++index) {
        const NodeId node = graph.add_node(service("service" + std::to_string(index)));
        graphs::connect(graph, graph.group(group).members, {node}, 100);
      }
      const Placement placement = place(graph, uniform_machine(1, 6, 6));
      EXPECT_EQ(most_computing(placement), 1) << workers << " workers, " << services << " services";
    }
  }
}

TEST(Placement, ComputingNodesDoNotShareCoresOfAHostWhileAnotherHasFreeOnes) {
  Graph graph("chatty");
  const GroupId group = graph.add_group(worker("worker"), 4);
  graphs::connect(graph, graph.group(group).members, graph.group(group).members, 100);
  const Machine machine = uniform_machine(2, 8, 2);  // 8 ranks on 2 cores
  const Placement placement = place(graph, machine);
  std::vector<int> workers_on_host(2);
  for (const RankId rank : placement.rank_of_node) ++workers_on_host[machine.ranks[rank.index()].host.index()];
  EXPECT_EQ(workers_on_host, (std::vector{2, 2}));
}

TEST(Placement, LoadFollowsTheCpusOfRanks) {
  Graph graph("uneven");
  graph.add_group(worker("worker"), 12);
  Machine machine = uniform_machine(1, 3, 3);
  machine.hosts[0].cores = 6;
  machine.ranks[1].cpus = 4;
  const Placement placement = place(graph, machine);
  EXPECT_EQ(placement.load[0].cpus, 2);
  EXPECT_EQ(placement.load[1].cpus, 8);
  EXPECT_EQ(placement.load[2].cpus, 2);
}

TEST(Placement, LightNodesKeepAwayFromAHeavyOne) {
  Graph graph("heavy");
  const NodeId heavy = graph.add_node(with(worker("heavy"), Resources{.cpus = 16}));
  const GroupId light = graph.add_group(service("light"), 30);
  graphs::connect(graph, {heavy}, graph.group(light).members, 1);
  const Placement placement = place(graph, uniform_machine(1, 4, 4));
  for (const RankLoad& load : placement.load) EXPECT_TRUE(load.cpus == 10 || load.cpus == 16) << load.cpus;
}

TEST(Placement, NodesWithoutCpusGoWhereTheirTrafficIs) {
  Graph graph("free");
  for (int index = 0; index < 4; ++index) {
    const NodeId one = graph.add_node(worker("worker" + std::to_string(index)));
    const NodeId two = graph.add_node(with(service("service" + std::to_string(index)), Resources{.cpus = 0}));
    graph.add_edge(one, two, 5);
  }
  EXPECT_EQ(traffic_between_ranks(graph, place(graph, uniform_machine(2, 2, 2))), 0);
}

TEST(Placement, HonoursEachWish) {
  Graph graph("wishes");
  graph.add_group(with(worker("replica"), Wishes{.spread = true}), 3);
  graph.add_node(with(worker("learner"), Wishes{.exclusive = true, .on_hosts = "host[12]"}));
  graph.add_node(with(service("log"), Wishes{.on_rank = RankId(5)}));
  graph.add_node(with(service("cache"), Wishes{.colocate_with = "log"}));
  graph.add_group(with(service("helper"), Wishes{.colocate_with = "replica"}), 3);
  graph.add_group(service("other"), 10);
  const Machine machine = uniform_machine(3, 2, 2);
  const Placement placement = place(graph, machine);
  checks::expect_sound(graph, machine, placement);
}

TEST(Placement, MovesOthersAwayToHonourAWish) {
  // Each node may use one rank less than the one before: there is exactly one placement.
  Graph graph("narrow");
  Machine machine = uniform_machine(6, 1, 1);
  for (int node = 0; node < 6; ++node) {
    const std::string hosts =
        node == 0 ? "host0" : "host[" + std::to_string(node - 1) + "-" + std::to_string(node) + "]";
    graph.add_node(with(service("n" + std::to_string(node)), Wishes{.exclusive = true, .on_hosts = hosts}));
  }
  const Placement placement = place(graph, machine);
  for (std::uint32_t node = 0; node < 6; ++node) EXPECT_EQ(placement.rank_of_node[node], RankId(node));
}

TEST(Placement, PromisesNoDeviceTwice) {
  Graph graph("devices");
  graph.add_group(with(worker("learner"), Resources{.gpus = 1}), 4);
  graph.add_group(with(worker("half"), Resources{.gpus = 0.5}), 4);
  graph.add_node(with(service("camera"), Resources{.named = {{"camera", 1}}}));
  graph.add_group(service("shard"), 9);
  Machine machine = uniform_machine(2, 4, 8);
  for (RankSlot& slot : machine.ranks) slot.gpus = 1;
  machine.ranks[6].gpus = 0;
  machine.ranks[6].named = {{"camera", 1}};
  const Placement placement = place(graph, machine);
  checks::expect_sound(graph, machine, placement);
  EXPECT_EQ(placement.rank_of_node[8], RankId(6));
}

TEST(Placement, ChecksMemoryOfRanksAndHosts) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  Graph graph("memory");
  graph.add_group(with(worker("big"), Resources{.memory = 6 * gib}), 4);
  graph.add_group(with(worker("small"), Resources{.memory = gib}), 8);
  Machine machine = uniform_machine(2, 4, 4);
  for (Host& host : machine.hosts) host.memory = 16 * gib;
  const Placement placement = place(graph, machine);
  checks::expect_sound(graph, machine, placement);
  for (Host& host : machine.hosts) host.memory = 15 * gib;
  expect_refused(graph, machine, "too little is left of the");
  for (RankSlot& slot : machine.ranks) slot.memory = 4 * gib;
  expect_refused(graph, machine,
                 "node 'big/0' needs 6442450944 bytes of memory on one rank (the best rank has 4294967296)");
}

TEST(Refusal, SaysWhichWishCannotHoldAndWhy) {
  const auto alone = [](NodeSpec spec) {
    Graph graph("alone");
    graph.add_node(std::move(spec));
    return graph;
  };
  const Machine machine = uniform_machine(2, 2, 2);
  expect_refused(alone(with(service("a"), Wishes{.on_rank = RankId(7)})), machine,
                 "node 'a' wishes to be on rank 7 (there are 4 ranks, counted from 0): start more ranks");
  expect_refused(alone(with(service("a"), Wishes{.on_hosts = "gpu*"})), machine,
                 "node 'a' wishes to be on hosts 'gpu*' (no host with a rank matches; there are: host0, host1)");
  expect_refused(alone(with(service("a"), Wishes{.on_rank = RankId(0), .on_hosts = "host1"})), machine,
                 "node 'a' wishes rank 0 and hosts 'host1' (no rank is both): remove one of the wishes");
  expect_refused(alone(with(service("a"), Resources{.gpus = 1})), machine,
                 "node 'a' needs 1 gpus on one rank (the best rank has 0)");
  expect_refused(alone(with(service("a"), Resources{.named = {{"camera", 1}}})), machine,
                 "node 'a' needs 1 'camera' on one rank");
}

TEST(Refusal, SaysWhichNodesContradictEachOther) {
  const Machine machine = uniform_machine(2, 2, 2);
  Graph together("together");
  together.add_node(with(service("a"), Wishes{.on_hosts = "host0"}));
  together.add_node(with(service("b"), Wishes{.colocate_with = "a", .on_hosts = "host1"}));
  expect_refused(together, machine, "node 'a' wishes hosts 'host0', 'b' wishes hosts 'host1' (they share a rank");

  Graph spread("spread");
  spread.add_group(with(service("g"), Wishes{.spread = true}), 3);
  expect_refused(spread, machine, "group 'g' wishes its 3 members to be on different hosts (there are 2 hosts)");

  Graph exclusive("exclusive");
  exclusive.add_group(with(service("g"), Wishes{.exclusive = true}), 4);
  checks::expect_sound(exclusive, machine, place(exclusive, machine));
  exclusive.add_node(service("other"));
  expect_refused(exclusive, machine, "4 nodes wish a rank of its own, 'g/0' first");

  Graph same("same");
  same.add_node(with(service("a"), Wishes{.exclusive = true, .on_rank = RankId(1)}));
  same.add_node(with(service("b"), Wishes{.on_rank = RankId(1)}));
  expect_refused(same, machine, "finds no place where its wishes allow it (on 1 rank");
}

TEST(Refusal, ListsAllThatIsImpossibleAtOnce) {
  Graph graph("many");
  graph.add_node(with(service("a"), Wishes{.on_rank = RankId(9)}));
  graph.add_node(with(service("b"), Resources{.gpus = 1}));
  expect_refused(graph, uniform_machine(1, 1, 1), "program 'many' cannot be placed on 1 rank of 1 host:\n  - node 'a'");
  expect_refused(graph, uniform_machine(1, 1, 1), "\n  - node 'b' needs 1 gpus");
}

TEST(Refusal, ChecksGraphAndMachine) {
  Graph graph("graph");
  graph.declare_node(service("a"));
  expect_refused(graph, uniform_machine(1, 1, 1), "never defined");
  const Graph good = graphs::producer_consumer(1);
  expect_refused(good, Machine{}, "there are no ranks");
  Machine machine = uniform_machine(1, 2, 2);
  machine.ranks[1].cpus = 0;
  expect_refused(good, machine, "rank 1 has 0 cpus");
  machine.ranks[1].host = HostId(4);
  expect_refused(good, machine, "rank 1 is on an unknown host");
}

TEST(WantedRanks, AreAsManyAsNodesCoresAndWishesNeed) {
  EXPECT_EQ(wanted_ranks(graphs::producer_consumer(3), 2), 2U);
  EXPECT_EQ(wanted_ranks(graphs::producer_consumer(3), 64), 4U);
  Graph graph("wishes");
  graph.add_group(service("a"), 2);
  graph.add_group(with(service("b"), Wishes{.colocate_with = "a"}), 2);
  EXPECT_EQ(wanted_ranks(graph, 64), 2U);
  graph.add_group(with(service("c"), Wishes{.exclusive = true}), 3);
  EXPECT_EQ(wanted_ranks(graph, 1), 4U);
  graph.add_node(with(service("d"), Wishes{.on_rank = RankId(6)}));
  EXPECT_EQ(wanted_ranks(graph, 1), 7U);
  EXPECT_EQ(wanted_ranks(Graph("empty"), 4), 1U);
}

}  // namespace
}  // namespace slipway
