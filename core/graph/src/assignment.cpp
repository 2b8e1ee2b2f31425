// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "assignment.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace slipway::detail {

Assignment::Assignment(const PlacementProblem& problem)
    : problem_(problem),
      rank_of_unit_(problem.units.size(), nowhere),
      position_(problem.units.size()),
      units_of_rank_(problem.rank_count()),
      load_(problem.rank_count()),
      computing_(problem.rank_count()),
      host_computing_(problem.machine.hosts.size()),
      left_(problem.capacity),
      host_memory_left_(problem.host_memory) {}

void Assignment::assign(Index unit, Index rank) {
  rank_of_unit_[unit] = rank;
  position_[unit] = units_of_rank_[rank].size();
  units_of_rank_[rank].push_back(unit);
  count(unit, rank, 1);
  for (const Index group : problem_.units[unit].spread_groups) {
    spread_unit_[spread_key(problem_.host_of(rank), group)] = unit;
  }
}

void Assignment::remove(Index unit) {
  const Index rank = rank_of_unit_[unit];
  rank_of_unit_[unit] = nowhere;
  auto& units = units_of_rank_[rank];
  units[position_[unit]] = units.back();
  position_[units.back()] = position_[unit];
  units.pop_back();
  count(unit, rank, -1);
  for (const Index group : problem_.units[unit].spread_groups) {
    spread_unit_.erase(spread_key(problem_.host_of(rank), group));
  }
}

void Assignment::count(Index unit, Index rank, int sign) {
  const Unit& what = problem_.units[unit];
  load_[rank] += sign * what.cpus;
  computing_[rank] += sign * what.computing;
  host_computing_[problem_.host_of(rank)] += sign * what.computing;
  for (const Demand& demand : what.demands) {
    left_[rank][demand.kind] -= sign * demand.amount;
    if (demand.kind == memory_kind) host_memory_left_[problem_.host_of(rank)] -= sign * demand.amount;
  }
}

double Assignment::host_crowding(Index host, double more) const {
  return std::max(1.0, (host_computing_[host] + more) / problem_.host_cores[host]);
}

bool Assignment::allowed(Index unit, Index rank) const {
  const Unit& what = problem_.units[unit];
  return !what.restricted || std::binary_search(what.ranks.begin(), what.ranks.end(), rank);
}

bool Assignment::fits(Index unit, Index rank) const {
  const auto& demands = problem_.units[unit].demands;
  return fits_alone_rules(unit, rank) && allowed(unit, rank) && fits_spread(unit, rank) &&
         std::all_of(demands.begin(), demands.end(), [&](const Demand& demand) { return fits_demand(demand, rank); });
}

bool Assignment::fits_alone_rules(Index unit, Index rank) const {
  const auto& present = units_of_rank_[rank];
  if (present.empty()) return true;
  return !problem_.units[unit].exclusive && !problem_.units[present.front()].exclusive;
}

bool Assignment::fits_demand(const Demand& demand, Index rank) const {
  if (demand.amount > left_[rank][demand.kind] + load_tolerance) return false;
  return demand.kind != memory_kind || demand.amount <= host_memory_left_[problem_.host_of(rank)];
}

bool Assignment::fits_spread(Index unit, Index rank) const {
  const auto& groups = problem_.units[unit].spread_groups;
  return std::none_of(groups.begin(), groups.end(),
                      [&](Index group) { return spread_unit_.contains(spread_key(problem_.host_of(rank), group)); });
}

std::vector<Index> Assignment::blockers(Index unit, Index rank) const {
  if (!allowed(unit, rank)) return {};
  std::vector<Index> found;
  if (!fits_alone_rules(unit, rank)) {
    found = units_of_rank_[rank];
  } else {
    for (const Demand& demand : problem_.units[unit].demands) {
      if (demand.amount > problem_.capacity[rank][demand.kind]) return {};
      add_demand_blockers(demand, rank, found);
    }
  }
  add_spread_blockers(unit, rank, found);
  return found;
}

std::string Assignment::obstacle(Index unit, Index rank) const {
  if (!fits_alone_rules(unit, rank)) {
    const Index present = units_of_rank_[rank].front();
    if (problem_.units[present].exclusive) return fmt::format("{} wishes to be alone", problem_.name_of(present));
    return "others are there already, and it wishes to be alone";
  }
  for (const Demand& demand : problem_.units[unit].demands) {
    if (fits_demand(demand, rank)) continue;
    return fmt::format("too little is left of the {} {} that it needs", demand.amount, problem_.kind_name(demand.kind));
  }
  return fits_spread(unit, rank) ? "" : "the host holds another member of its spread group";
}

// The largest holders of a scarce resource leave until there is enough: the fewest that can.
void Assignment::add_demand_blockers(const Demand& demand, Index rank, std::vector<Index>& found) const {
  struct Holder {
    double amount;
    Index unit;
  };
  double left = left_[rank][demand.kind];
  std::vector<Holder> holders;
  const auto add_holders = [&](Index where) {
    for (const Index unit : units_of_rank_[where]) {
      for (const Demand& held : problem_.units[unit].demands) {
        if (held.kind == demand.kind) holders.push_back({held.amount, unit});
      }
    }
  };
  const Index host = problem_.host_of(rank);
  if (demand.kind == memory_kind && host_memory_left_[host] < left) {
    left = host_memory_left_[host];
    for (const Index other : problem_.ranks_of_host[host]) add_holders(other);
  } else {
    add_holders(rank);
  }
  std::sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) {
    return a.amount != b.amount ? a.amount > b.amount : a.unit < b.unit;
  });
  for (const Holder& holder : holders) {
    if (demand.amount <= left + load_tolerance) return;
    left += holder.amount;
    if (std::find(found.begin(), found.end(), holder.unit) == found.end()) found.push_back(holder.unit);
  }
}

void Assignment::add_spread_blockers(Index unit, Index rank, std::vector<Index>& found) const {
  for (const Index group : problem_.units[unit].spread_groups) {
    const auto held = spread_unit_.find(spread_key(problem_.host_of(rank), group));
    if (held == spread_unit_.end()) continue;
    if (std::find(found.begin(), found.end(), held->second) == found.end()) found.push_back(held->second);
  }
}

ConnectionCosts::ConnectionCosts(const PlacementProblem& problem)
    : problem_(problem), on_rank_(problem.rank_count()), on_host_(problem.machine.hosts.size()) {}

void ConnectionCosts::read(Index unit, const Assignment& assignment) {
  for (const Index rank : ranks_) on_rank_[rank] = 0;
  for (const Index host : hosts_) on_host_[host] = 0;
  ranks_.clear();
  hosts_.clear();
  total_ = 0;
  for (const Neighbour& neighbour : problem_.neighbours(unit)) {
    const Index rank = assignment.rank_of(neighbour.unit);
    if (rank == nowhere) continue;
    const Index host = problem_.host_of(rank);
    if (on_rank_[rank] == 0) ranks_.push_back(rank);
    if (on_host_[host] == 0) hosts_.push_back(host);
    on_rank_[rank] += neighbour.traffic;
    on_host_[host] += neighbour.traffic;
    total_ += neighbour.traffic;
  }
}

double ConnectionCosts::cost(Index rank) const {
  const double near = on_host_[problem_.host_of(rank)];
  return other_host_cost * (total_ - near) + same_host_cost * (near - on_rank_[rank]);
}

double distance_cost(const PlacementProblem& problem, Index left, Index right) {
  if (left == right) return 0;
  return problem.host_of(left) == problem.host_of(right) ? same_host_cost : other_host_cost;
}

double total_cost(const Assignment& assignment) {
  const PlacementProblem& problem = assignment.problem();
  double cost = 0;
  for (Index unit = 0; unit < problem.unit_count(); ++unit) {
    for (const Neighbour& neighbour : problem.neighbours(unit)) {
      if (neighbour.unit < unit) continue;
      cost += neighbour.traffic * distance_cost(problem, assignment.rank_of(unit), assignment.rank_of(neighbour.unit));
    }
  }
  return cost;
}

}  // namespace slipway::detail
