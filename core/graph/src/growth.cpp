// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "growth.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>

namespace slipway::detail {

namespace {

// How many units that do not fit are looked past before a rank is taken for full.
constexpr int patience = 32;

// Unplaced units by their traffic with one region (a rank, or a host). Entries that are out of date are dropped when
// they come up.
class Frontier {
 public:
  explicit Frontier(std::size_t units) : traffic_(units) {}

  void clear() {
    for (const Index unit : touched_) traffic_[unit] = 0;
    touched_.clear();
    queue_ = {};
  }

  void add(Index unit, double traffic) {
    if (traffic_[unit] == 0) touched_.push_back(unit);
    traffic_[unit] += traffic;
    queue_.emplace(traffic_[unit], ~unit);
  }

  // The unit of most traffic for which suits(unit) holds. It stays in the frontier; the ones passed over leave it until
  // restore().
  template <class Unplaced, class Suits>
  std::optional<Index> best(Unplaced unplaced, Suits suits) {
    for (int tries = 0; tries < patience && !queue_.empty();) {
      const auto [traffic, key] = queue_.top();
      const Index unit = ~key;
      const bool current = traffic == traffic_[unit] && unplaced(unit);
      if (current && suits(unit)) return unit;
      queue_.pop();
      if (!current) continue;
      ++tries;
      passed_over_.emplace_back(traffic, key);
    }
    return std::nullopt;
  }

  void restore() {
    for (const Entry& entry : passed_over_) queue_.push(entry);
    passed_over_.clear();
  }

  double traffic(Index unit) const { return traffic_[unit]; }

 private:
  using Entry = std::pair<double, Index>;  // traffic, complement of the unit: of equals, the first unit comes first

  std::vector<double> traffic_;
  std::vector<Index> touched_;
  std::priority_queue<Entry> queue_;
  std::vector<Entry> passed_over_;
};

class Growth {
 public:
  explicit Growth(Assignment& assignment)
      : assignment_(assignment),
        problem_(assignment.problem()),
        on_rank_{Frontier(problem_.units.size()), Frontier(problem_.units.size())},
        on_host_{Frontier(problem_.units.size()), Frontier(problem_.units.size())} {
    collect_seeds();
  }

  void run() {
    for (const auto& ranks : problem_.ranks_of_host) {
      for (Frontier& frontier : on_host_) frontier.clear();
      for (const Index rank : ranks) {
        for (const Index unit : assignment_.units_on(rank)) reach_from(unit, on_host_);
      }
      for (const Index rank : ranks) fill(rank);
    }
  }

 private:
  // Computing units and others have shares of their own, so they grow from frontiers of their own.
  enum Class : std::size_t { computing, other };
  static constexpr std::array classes{computing, other};
  using Frontiers = std::array<Frontier, 2>;

  Class class_of(Index unit) const { return problem_.units[unit].computing > 0 ? computing : other; }

  // Where a region starts that nothing is connected to: at the unit with most traffic.
  void collect_seeds() {
    std::vector<double> traffic(problem_.units.size());
    for (Index unit = 0; unit < problem_.unit_count(); ++unit) {
      for (const Neighbour& neighbour : problem_.neighbours(unit)) traffic[unit] += neighbour.traffic;
      if (assignment_.placed(unit)) continue;
      seeds_[class_of(unit)].push_back(unit);
      if (class_of(unit) == computing) ++computing_left_;
    }
    for (auto& seeds : seeds_) {
      std::stable_sort(seeds.begin(), seeds.end(), [&](Index a, Index b) { return traffic[a] > traffic[b]; });
    }
  }

  void fill(Index rank) {
    for (Frontier& frontier : on_rank_) frontier.clear();
    for (const Index unit : assignment_.units_on(rank)) reach_from(unit, on_rank_);
    while (const auto unit = next(rank)) {
      assignment_.assign(*unit, rank);
      if (class_of(*unit) == computing) --computing_left_;
      reach_from(*unit, on_rank_);
      reach_from(*unit, on_host_);
    }
    for (Frontier& frontier : on_rank_) frontier.restore();
    for (Frontier& frontier : on_host_) frontier.restore();
  }

  void reach_from(Index unit, Frontiers& frontiers) {
    for (const Neighbour& neighbour : problem_.neighbours(unit)) {
      if (!assignment_.placed(neighbour.unit))
        frontiers[class_of(neighbour.unit)].add(neighbour.unit, neighbour.traffic);
    }
  }

  std::optional<Index> next(Index rank) {
    std::optional<Index> best;
    const auto strength = [&](Index unit) {
      return std::tuple(on_rank_[class_of(unit)].traffic(unit), on_host_[class_of(unit)].traffic(unit));
    };
    for (const Class kind : classes) {
      const auto candidate = next_of(kind, rank);
      if (candidate && (!best || strength(*candidate) > strength(*best))) best = candidate;
    }
    return best;
  }

  std::optional<Index> next_of(Class kind, Index rank) {
    const auto unplaced = [&](Index unit) { return !assignment_.placed(unit); };
    const auto suits = [&](Index unit) { return has_room(rank, unit) && assignment_.fits(unit, rank); };
    if (const auto unit = on_rank_[kind].best(unplaced, suits)) return unit;
    if (const auto unit = on_host_[kind].best(unplaced, suits)) return unit;
    std::size_t& first = first_seed_[kind];
    const auto& seeds = seeds_[kind];
    while (first < seeds.size() && assignment_.placed(seeds[first])) ++first;
    int tries = 0;
    for (std::size_t seed = first; seed < seeds.size() && tries < patience; ++seed) {
      if (assignment_.placed(seeds[seed])) continue;
      if (suits(seeds[seed])) return seeds[seed];
      ++tries;
    }
    return std::nullopt;
  }

  // Others leave room for the share of computing units that the rank has not got yet.
  bool has_room(Index rank, Index unit) const {
    const Unit& what = problem_.units[unit];
    const double share = problem_.computing_level.relative;
    double load = assignment_.relative_load(rank, what.cpus);
    if (what.computing > 0) {
      if (assignment_.relative_computing(rank, what.computing) > share + load_tolerance) return false;
    } else if (computing_left_ > 0) {
      load += std::max(0.0, share - assignment_.relative_computing(rank));
    }
    return load <= problem_.load_level.relative + load_tolerance;
  }

  Assignment& assignment_;
  const PlacementProblem& problem_;
  Frontiers on_rank_;
  Frontiers on_host_;
  std::array<std::vector<Index>, 2> seeds_;
  std::array<std::size_t, 2> first_seed_{};
  std::size_t computing_left_ = 0;
};

}  // namespace

void grow(Assignment& assignment) { Growth(assignment).run(); }

}  // namespace slipway::detail
