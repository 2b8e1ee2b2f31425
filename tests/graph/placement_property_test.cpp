// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "example_graphs.hpp"
#include "placement_checks.hpp"
#include "slipway/graph/placement.hpp"

// Random graphs and machines by fixed seeds. Wishes and resources are made to fit a placement that is drawn first and
// then forgotten: one that honours all of them exists, so place() must find one.
namespace slipway {
namespace {

class Case {
 public:
  explicit Case(std::uint32_t seed) : engine_(seed), graph_("random") {
    make_machine();
    make_nodes();
    make_edges();
    for (std::size_t index = 0; index < hidden_.size(); ++index) make_wishes(index);
    give_ranks_what_they_need();
  }

  const Graph& graph() const { return graph_; }
  const Machine& machine() const { return machine_; }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_()) % limit; }
  bool one_in(std::uint32_t number) { return below(number) == 0; }

  void make_machine() {
    const std::uint32_t hosts = 1 + below(5);
    for (std::uint32_t host = 0; host < hosts; ++host) {
      machine_.hosts.push_back({.name = "host" + std::to_string(host)});
      const std::uint32_t ranks = 1 + below(4);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        machine_.ranks.push_back({.host = HostId(host), .cpus = 1.0 + below(3)});
      }
    }
    machine_.ranks.push_back({.host = HostId(0)});  // ranks of a host need not be neighbours
  }

  void make_nodes() {
    const std::uint32_t groups = 1 + below(8);
    for (std::uint32_t group = 0; group < groups; ++group) {
      NodeSpec spec = one_in(2) ? graphs::worker("g") : graphs::service("g");
      spec.label += std::to_string(group);
      const GroupId id = graph_.add_group(spec, 1 + below(6));
      for (std::size_t member = 0; member < graph_.group(id).members.size(); ++member) {
        hidden_.push_back(RankId(below(static_cast<std::uint32_t>(machine_.ranks.size()))));
      }
    }
  }

  void make_edges() {
    const auto nodes = static_cast<std::uint32_t>(hidden_.size());
    for (std::uint32_t edge = 0; edge < 2 * nodes; ++edge) {
      graph_.add_edge(NodeId(below(nodes)), NodeId(below(nodes)), below(100));
    }
  }

  HostId hidden_host(std::size_t node) const { return machine_.ranks[hidden_[node].index()].host; }

  bool alone(std::size_t node) const { return std::count(hidden_.begin(), hidden_.end(), hidden_[node]) == 1; }

  bool group_is_spread(const Node& node) const {
    std::set<HostId> hosts;
    const auto& members = graph_.group(node.group).members;
    for (const NodeId member : members) hosts.insert(hidden_host(member.index()));
    return hosts.size() == members.size();
  }

  void make_wishes(std::size_t index) {
    const Node& node = graph_.nodes()[index];
    Wishes wishes;
    wishes.exclusive = alone(index) && one_in(2);
    wishes.spread = group_is_spread(node);
    if (one_in(6)) wishes.on_rank = hidden_[index];
    if (one_in(4)) wishes.on_hosts = machine_.hosts[hidden_host(index).index()].name;
    for (std::size_t other = 0; other < index && !alone(index); ++other) {
      if (hidden_[other] == hidden_[index] && one_in(3)) wishes.colocate_with = graph_.nodes()[other].label;
    }
    graph_.set_wishes(NodeId(static_cast<std::uint32_t>(index)), wishes);
    Resources resources;
    resources.cpus = one_in(4) ? 0.5 * below(8) : 1;
    if (one_in(5)) resources.gpus = 1;
    if (one_in(8)) resources.named["camera"] = 1;
    graph_.set_resources(NodeId(static_cast<std::uint32_t>(index)), resources);
  }

  void give_ranks_what_they_need() {
    for (std::size_t index = 0; index < hidden_.size(); ++index) {
      RankSlot& slot = machine_.ranks[hidden_[index].index()];
      slot.gpus += graph_.nodes()[index].resources.gpus;
      for (const auto& [name, amount] : graph_.nodes()[index].resources.named) slot.named[name] += amount;
    }
  }

  std::mt19937 engine_;
  Graph graph_;
  Machine machine_;
  std::vector<RankId> hidden_;
};

TEST(PlacementProperty, EachWishHoldsWhereverThatIsPossible) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case random(seed);
    const Placement placement = place(random.graph(), random.machine());
    checks::expect_sound(random.graph(), random.machine(), placement);
    if (HasFailure()) return;
  }
}

TEST(PlacementProperty, EqualArgumentsGiveEqualPlacements) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const Case one(seed);
    const Case two(seed);
    EXPECT_EQ(place(one.graph(), one.machine()).rank_of_node, place(two.graph(), two.machine()).rank_of_node) << seed;
  }
}

TEST(PlacementProperty, FreeNodesAreBalancedWithinATenthOrOneNode) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 engine(seed);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(engine()) % limit; };
    const std::size_t ranks = 1 + below(12);
    const std::uint32_t nodes = 1 + below(60);
    Graph graph("random");
    std::size_t computing = 0;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      const bool computes = below(2) == 0;
      computing += computes ? 1 : 0;
      graph.add_node((computes ? graphs::worker : graphs::service)("n" + std::to_string(node)));
    }
    for (std::uint32_t edge = 0; edge < 3 * nodes; ++edge) {
      graph.add_edge(NodeId(below(nodes)), NodeId(below(nodes)), below(10));
    }
    const Machine machine = uniform_machine(1, ranks, static_cast<double>(ranks));
    const Placement placement = place(graph, machine);
    checks::expect_sound(graph, machine, placement);
    const auto most = [&](std::size_t count) {
      const double even = static_cast<double>(count) / static_cast<double>(ranks);
      return std::max(1.1 * even, std::ceil(even));
    };
    for (const RankLoad& load : placement.load) {
      EXPECT_LE(load.computing, most(computing) + 1e-6);
      EXPECT_LE(load.cpus, most(nodes) + 1e-6);
    }
    EXPECT_EQ(placement.idle_ranks.size(), ranks - std::min<std::size_t>(ranks, nodes));
  }
}

}  // namespace
}  // namespace slipway
