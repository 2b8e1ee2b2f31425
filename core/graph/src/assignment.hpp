// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "placement_problem.hpp"

namespace slipway::detail {

// A placement in the making: which unit is where, what is left on each rank, and the rules that must always hold.
class Assignment {
 public:
  explicit Assignment(const PlacementProblem& problem);

  void assign(Index unit, Index rank);
  void remove(Index unit);

  bool placed(Index unit) const { return rank_of_unit_[unit] != nowhere; }
  Index rank_of(Index unit) const { return rank_of_unit_[unit]; }
  const std::vector<Index>& units_on(Index rank) const { return units_of_rank_[rank]; }

  // Whether wishes and resources let an unplaced unit go to a rank. Says nothing about balance.
  bool fits(Index unit, Index rank) const;
  bool allowed(Index unit, Index rank) const;
  // Units that must leave the rank, or its host, before the unit fits; empty if it never does, or fits already.
  std::vector<Index> blockers(Index unit, Index rank) const;
  // Why an allowed rank does not fit the unit, to follow "on rank 3 ..."; empty if it fits.
  std::string obstacle(Index unit, Index rank) const;

  // cpus asked for; relative ones are divided by what is there.
  double load(Index rank) const { return load_[rank]; }
  double computing(Index rank) const { return computing_[rank]; }
  double relative_load(Index rank, double more = 0) const { return (load_[rank] + more) / problem_.cpus_of(rank); }
  double relative_computing(Index rank, double more = 0) const {
    return (computing_[rank] + more) / problem_.cpus_of(rank);
  }
  // Never below 1: a host that has a core for each computing node is as good as any other.
  double host_crowding(Index host, double more = 0) const;

  const PlacementProblem& problem() const { return problem_; }
  const std::vector<Index>& ranks() const { return rank_of_unit_; }

 private:
  bool fits_alone_rules(Index unit, Index rank) const;
  bool fits_demand(const Demand& demand, Index rank) const;
  bool fits_spread(Index unit, Index rank) const;
  void count(Index unit, Index rank, int sign);
  void add_demand_blockers(const Demand& demand, Index rank, std::vector<Index>& found) const;
  void add_spread_blockers(Index unit, Index rank, std::vector<Index>& found) const;
  static std::uint64_t spread_key(Index host, Index group) { return (std::uint64_t{host} << 32) | group; }

  const PlacementProblem& problem_;
  std::vector<Index> rank_of_unit_;
  std::vector<std::size_t> position_;  // of a unit in units_of_rank_
  std::vector<std::vector<Index>> units_of_rank_;
  std::vector<double> load_;
  std::vector<double> computing_;
  std::vector<double> host_computing_;
  std::vector<std::vector<double>> left_;  // [rank][kind]
  std::vector<double> host_memory_left_;
  std::unordered_map<std::uint64_t, Index> spread_unit_;  // the member of a spread group that a host holds
};

// What it would cost to have a unit on a rank, by its traffic with units that are placed. One object serves many units.
class ConnectionCosts {
 public:
  explicit ConnectionCosts(const PlacementProblem& problem);

  // Reads the neighbours of a unit; the other methods speak of it until the next call. Linear in its edges.
  void read(Index unit, const Assignment& assignment);
  double cost(Index rank) const;
  double on_host(Index host) const { return on_host_[host]; }
  // Ranks, and hosts, that hold neighbours, in the order of the neighbours.
  const std::vector<Index>& ranks() const { return ranks_; }
  const std::vector<Index>& hosts() const { return hosts_; }

 private:
  const PlacementProblem& problem_;
  double total_ = 0;
  std::vector<double> on_rank_;
  std::vector<double> on_host_;
  std::vector<Index> ranks_;
  std::vector<Index> hosts_;
};

double distance_cost(const PlacementProblem& problem, Index left, Index right);

// Of the whole placement, each edge counted once.
double total_cost(const Assignment& assignment);

}  // namespace slipway::detail
