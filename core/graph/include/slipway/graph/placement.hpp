// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/graph/graph.hpp"

// Where each node runs: graph + machine -> placement, as a pure function. Nothing here asks the operating system or
// MPI; who calls it says what ranks there are.
namespace slipway {

struct Host {
  std::string name = {};
  double cores = 0;          // usable by this program; 0: the sum of what its ranks have
  std::uint64_t memory = 0;  // bytes; 0: unknown, not checked
  double gpus = 0;           // for the plan only: what counts is what its ranks have
};

// What one rank may use.
struct RankSlot {
  HostId host = {};
  double cpus = 1;  // cores, or its share of them where ranks outnumber cores; more than 0
  double gpus = 0;
  std::uint64_t memory = 0;                  // bytes; 0: unknown, only the host's memory is checked
  std::map<std::string, double> named = {};  // named resources, as in Resources::named
  std::string cores = {};                    // which cores, for the plan: "0-3"
};

struct Machine {
  std::vector<Host> hosts;
  std::vector<RankSlot> ranks;  // in the order of the ranks
};

// Hosts "host0", "host1", ... with ranks in blocks (host0 has the first), each with its share of the host's cores.
Machine uniform_machine(std::size_t hosts, std::size_t ranks_per_host, double cores_per_host);

// What the nodes of a rank ask for.
struct RankLoad {
  double cpus = 0;       // of all its nodes
  double computing = 0;  // of those that compute
};

struct Placement {
  std::vector<RankId> rank_of_node;
  std::vector<RankId> idle_ranks;  // without a node; ascending
  std::vector<RankLoad> load;      // of each rank
};

// Places every node.
//
// Rules that always hold: each wish; gpus, memory and named resources of a rank are not promised twice; nodes that
// compute do not share a core while another one that they may use is free. As far as these leave a choice, load is
// balanced: no rank gets above 1.1 times the average load, or above the average by more than one node. As far as that
// leaves a choice, traffic between ranks is made small, and traffic between hosts smaller still. No rank stays idle
// while there is a node for it. cpus are the one resource that may be overdrawn: services are light.
//
// Deterministic: equal arguments give equal results, in any process of the same build. Linear in the number of edges,
// in practice; 10,000 nodes on 1,000 ranks take a fraction of a second. Throws UsageError: validate() finds a problem;
// the machine is malformed; a wish or resource cannot be had. The text lists all that can be told without a search,
// else the node for which no place was left.
Placement place(const Graph& graph, const Machine& machine);

// Node i on rank i modulo the number of ranks, whatever it wishes: what place() is measured against.
Placement place_round_robin(const Graph& graph, const Machine& machine);

// How many ranks to start when nobody said: one for each set of nodes that can be apart, no more than usable cores, but
// as many as the wishes need. At least 1.
std::size_t wanted_ranks(const Graph& graph, std::size_t usable_cores);

// Sum of the traffic of edges whose ends are on different ranks, or hosts.
double traffic_between_ranks(const Graph& graph, const Placement& placement);
double traffic_between_hosts(const Graph& graph, const Machine& machine, const Placement& placement);
double total_traffic(const Graph& graph);

// The nodes of each rank, ascending.
std::vector<std::vector<NodeId>> nodes_of_ranks(const Placement& placement, std::size_t ranks);

// Ranks whose computing nodes ask for more cpus than the rank has; ascending.
std::vector<RankId> overloaded_ranks(const Machine& machine, const Placement& placement);

// Whether a host's name matches a pattern: * any text, ? any character, [a-c] one of a range, [!a-c] none of it.
// A '[' without its ']' stands for itself.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace slipway
