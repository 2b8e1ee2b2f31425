// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "seating.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace slipway::detail {

namespace {

// Equal loads that differ in their last bits must compare equal, or traffic never has a say.
std::int64_t rounded(double load) { return std::llround(std::min(load, 1e9) * 1e6); }

double largest_share(const PlacementProblem& problem, const Unit& unit) {
  double share = 0;
  for (const Demand& demand : unit.demands) {
    double largest = 0;
    for (const auto& capacity : problem.capacity) largest = std::max(largest, capacity[demand.kind]);
    share = std::max(share, std::isfinite(largest) ? demand.amount / largest : 0);
  }
  return share;
}

// Fewest choices first, then what needs a rank or host for itself, then the largest.
void sort_by_difficulty(const PlacementProblem& problem, std::vector<Index>& units) {
  using Difficulty = std::tuple<std::size_t, bool, bool, double, bool, double, Index>;
  std::vector<Difficulty> sorted;
  for (const Index index : units) {
    const Unit& unit = problem.units[index];
    sorted.emplace_back(unit.restricted ? unit.ranks.size() : problem.rank_count(), !unit.exclusive,
                        unit.spread_groups.empty(), -largest_share(problem, unit), unit.computing == 0,
                        -std::max(unit.cpus, unit.computing), index);
  }
  std::sort(sorted.begin(), sorted.end());
  std::transform(sorted.begin(), sorted.end(), units.begin(), [](const Difficulty& item) { return std::get<6>(item); });
}

}  // namespace

struct Seating::Key {
  std::int64_t crowding;   // of the host's cores, by computing nodes
  std::int64_t computing;  // of the rank
  std::int64_t load;
  double cost;
  Index rank;

  friend auto operator<=>(const Key&, const Key&) = default;
};

Seating::Seating(Assignment& assignment)
    : assignment_(assignment),
      problem_(assignment.problem()),
      costs_(assignment.problem()),
      visited_(assignment.problem().rank_count()) {}

template <class Function>
void Seating::for_each_allowed(Index unit, Function function) const {
  const Unit& what = problem_.units[unit];
  if (what.restricted) {
    for (const Index rank : what.ranks) function(rank);
  } else {
    for (Index rank = 0; rank < problem_.rank_count(); ++rank) function(rank);
  }
}

bool Seating::place_all(std::vector<Index> units) {
  sort_by_difficulty(problem_, units);
  changes_.clear();
  for (const Index unit : units) {
    if (place(unit)) continue;
    failure_ = explain(unit);
    undo(0);
    return false;
  }
  return true;
}

bool Seating::place(Index unit) {
  const Index rank = best_rank(unit);
  if (rank != nowhere) {
    change(unit, rank);
    return true;
  }
  std::fill(visited_.begin(), visited_.end(), char{0});
  return make_room(unit);
}

Seating::Key Seating::key(Index unit, Index rank) const {
  const Unit& what = problem_.units[unit];
  const bool computes = what.computing > 0;
  return {.crowding = computes ? rounded(assignment_.host_crowding(problem_.host_of(rank), what.computing)) : 0,
          .computing = computes ? rounded(assignment_.relative_computing(rank, what.computing)) : 0,
          .load = rounded(assignment_.relative_load(rank, what.cpus)),
          .cost = costs_.cost(rank),
          .rank = rank};
}

Index Seating::best_rank(Index unit) {
  costs_.read(unit, assignment_);
  Key best{};
  best.rank = nowhere;
  for_each_allowed(unit, [&](Index rank) {
    if (!assignment_.fits(unit, rank)) return;
    const Key candidate = key(unit, rank);
    if (best.rank == nowhere || candidate < best) best = candidate;
  });
  return best.rank;
}

// Each rank is emptied at most once in a search, so it ends.
bool Seating::make_room(Index unit) {
  const Index free_rank = best_rank(unit);
  if (free_rank != nowhere) {
    change(unit, free_rank);
    return true;
  }
  bool found = false;
  for_each_allowed(unit, [&](Index rank) {
    if (found || visited_[rank] != 0) return;
    visited_[rank] = 1;
    found = evict_and_place(unit, rank);
  });
  return found;
}

bool Seating::evict_and_place(Index unit, Index rank) {
  const std::vector<Index> evicted = assignment_.blockers(unit, rank);
  if (evicted.empty()) return false;
  const std::size_t before = changes_.size();
  for (const Index other : evicted) change(other, nowhere);
  if (assignment_.fits(unit, rank)) {
    change(unit, rank);
    if (std::all_of(evicted.begin(), evicted.end(), [&](Index other) { return make_room(other); })) return true;
  }
  undo(before);
  return false;
}

void Seating::change(Index unit, Index to) {
  const Index from = assignment_.rank_of(unit);
  changes_.push_back({unit, from, to});
  if (from != nowhere) assignment_.remove(unit);
  if (to != nowhere) assignment_.assign(unit, to);
}

void Seating::undo(std::size_t first_change) {
  for (; changes_.size() > first_change; changes_.pop_back()) {
    const Change& last = changes_.back();
    if (last.to != nowhere) assignment_.remove(last.unit);
    if (last.from != nowhere) assignment_.assign(last.unit, last.from);
  }
}

// Counts what stands in the way on the ranks that the unit may use.
std::string Seating::explain(Index unit) const {
  std::map<std::string, std::size_t> ranks_by_obstacle;
  for_each_allowed(unit, [&](Index rank) { ++ranks_by_obstacle[assignment_.obstacle(unit, rank)]; });
  std::string reasons;
  for (const auto& [obstacle, ranks] : ranks_by_obstacle) {
    reasons += fmt::format("{}on {} rank{} {}", reasons.empty() ? "" : "; ", ranks, ranks == 1 ? "" : "s", obstacle);
  }
  return fmt::format("node {} finds no place{} ({}): start more ranks, ask for less, or remove a wish",
                     problem_.name_of(unit), problem_.units[unit].restricted ? " where its wishes allow it" : "",
                     reasons);
}

}  // namespace slipway::detail
