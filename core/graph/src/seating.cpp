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

// How often units are put in another order before a placement is given up; fewer times for many units.
constexpr std::size_t fewest_tries = 3;
constexpr std::size_t most_tries = 100;
constexpr std::size_t most_placed = 20'000;

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
struct Difficulty {
  std::size_t failures;  // how often it found no place when it came later
  std::size_t choices;
  bool exclusive;
  bool spread;
  double share;
  bool computes;
  double cpus;
  Index unit;

  bool operator<(const Difficulty& other) const { return key() < other.key(); }

 private:
  std::tuple<std::size_t, std::size_t, bool, bool, double, bool, double, Index> key() const {
    return {~failures, choices, !exclusive, !spread, -share, !computes, -cpus, unit};
  }
};

void sort_by_difficulty(const PlacementProblem& problem, const std::vector<std::size_t>& failures,
                        std::vector<Index>& units) {
  std::vector<Difficulty> sorted;
  for (const Index index : units) {
    const Unit& unit = problem.units[index];
    sorted.push_back({.failures = failures[index],
                      .choices = unit.restricted ? unit.ranks.size() : problem.rank_count(),
                      .exclusive = unit.exclusive,
                      .spread = !unit.spread_groups.empty(),
                      .share = largest_share(problem, unit),
                      .computes = unit.computing > 0,
                      .cpus = unit.cpus,
                      .unit = index});
  }
  std::sort(sorted.begin(), sorted.end());
  std::transform(sorted.begin(), sorted.end(), units.begin(), [](const Difficulty& item) { return item.unit; });
}

// What an exclusive unit would keep from others: shares of scarce resources that it does not need itself.
double wasted_resources(const PlacementProblem& problem, const Unit& unit, Index rank) {
  double waste = 0;
  for (Index kind = 0; kind < problem.kinds.size(); ++kind) {
    if (problem.wanted[kind] == 0 || !std::isfinite(problem.capacity[rank][kind])) continue;
    double unused = problem.capacity[rank][kind];
    for (const Demand& demand : unit.demands) unused -= demand.kind == kind ? demand.amount : 0;
    waste += unused / problem.wanted[kind];
  }
  return waste;
}

}  // namespace

struct Seating::Key {
  std::int64_t waste;
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

// A unit that finds no place comes first in the next try, since the ones before it did not know of its need.
bool Seating::place_all(std::vector<Index> units) {
  const std::size_t tries = std::clamp(most_placed / std::max<std::size_t>(1, units.size()), fewest_tries, most_tries);
  std::vector<std::size_t> failures(problem_.units.size());
  for (std::size_t turn = 0; turn < tries; ++turn) {
    sort_by_difficulty(problem_, failures, units);
    const Index failed = place_in_order(units);
    if (failed == nowhere) return true;
    ++failures[failed];
  }
  return false;
}

// Returns the unit that found no place; then nothing has changed.
Index Seating::place_in_order(const std::vector<Index>& units) {
  changes_.clear();
  for (const Index unit : units) {
    if (place(unit)) continue;
    failure_ = explain(unit);
    undo(0);
    return unit;
  }
  return nowhere;
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
  return {.waste = what.exclusive ? rounded(wasted_resources(problem_, what, rank)) : 0,
          .crowding = computes ? rounded(assignment_.host_crowding(problem_.host_of(rank), what.computing)) : 0,
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
