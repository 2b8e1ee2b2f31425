// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "refinement.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace slipway::detail {

namespace {

constexpr double load_slack = 1.1;   // of the even load
constexpr double least_gain = 1e-9;  // relative to the cost at the start
constexpr int most_passes = 10;
constexpr std::size_t most_host_ranks = 64;     // ranks of the best host that are looked at beside those of neighbours
constexpr std::size_t most_swap_partners = 32;  // on one rank
constexpr std::size_t most_idle_ranks = 16;     // on different hosts, looked at as places to start anew
constexpr std::size_t eager_degree = 32;        // neighbours of a moved unit that are looked at again at once
// Edges that may be read. Reached only by large dense graphs, where more passes gain little; bounds the time.
constexpr std::size_t edge_budget = 30'000'000;

struct Action {
  double gain = 0;
  Index unit = nowhere;
  Index rank = nowhere;     // where to
  Index partner = nowhere;  // comes from there in exchange, if there is one
  std::uint64_t age = 0;    // of the unit and its partner, when the gain was computed

  bool operator<(const Action& other) const { return gain != other.gain ? gain < other.gain : unit > other.unit; }
};

class Refinement {
 public:
  explicit Refinement(Assignment& assignment)
      : assignment_(assignment),
        problem_(assignment.problem()),
        costs_(problem_),
        partner_costs_(problem_),
        age_(problem_.units.size()),
        locked_(problem_.units.size()),
        least_gain_(least_gain * std::max(1.0, total_cost(assignment))),
        load_limit_(largest_load()) {}

  void run() {
    for (int pass = 0; pass < most_passes && edges_read_ < edge_budget; ++pass) {
      if (run_pass() <= least_gain_) return;
    }
  }

 private:
  struct Step {
    Index unit;
    Index from;
    Index partner;
  };

  double largest_load() const;
  void find_idle_ranks();
  double run_pass();
  void take_back(std::size_t steps_kept);
  void push_best(Index unit);
  bool holds(const Action& action);
  std::uint64_t age_of(const Action& action) const;
  void look_again_at_neighbours(Index unit);
  Action best_action(Index unit);
  void consider_rank(Index rank, double gain, Action& best);
  void consider_swaps(Index rank, double gain, Action& best);
  bool can_move(Index unit, Index rank);
  bool can_swap(Index unit, Index partner);
  bool fits_after_leaving(Index unit, Index rank);
  bool balanced(Index unit, Index rank, Index partner) const;
  void apply(const Action& action);
  double traffic_between(Index unit, Index other) const;

  Assignment& assignment_;
  const PlacementProblem& problem_;
  ConnectionCosts costs_;
  ConnectionCosts partner_costs_;
  std::priority_queue<Action> actions_;
  std::vector<std::uint64_t> age_;  // counts moves of the unit and its neighbours
  std::vector<char> locked_;        // moved in this pass
  std::vector<Step> steps_;
  std::vector<Index> idle_ranks_;
  double least_gain_;
  double load_limit_;  // relative; of a rank
  std::size_t edges_read_ = 0;
};

// What one rank has already, others may have too; but a node too large to share must not make room for many small ones.
double Refinement::largest_load() const {
  double largest = load_slack * problem_.load_level.relative;
  for (Index rank = 0; rank < problem_.rank_count(); ++rank) {
    const auto& units = assignment_.units_on(rank);
    const bool shared = std::none_of(units.begin(), units.end(), [&](Index unit) {
      return problem_.units[unit].exclusive || problem_.units[unit].cpus > problem_.load_level.heavy_above;
    });
    if (shared) largest = std::max(largest, assignment_.relative_load(rank));
  }
  return largest;
}

void Refinement::find_idle_ranks() {
  idle_ranks_.clear();
  for (const auto& ranks : problem_.ranks_of_host) {
    const auto idle =
        std::find_if(ranks.begin(), ranks.end(), [&](Index rank) { return assignment_.units_on(rank).empty(); });
    if (idle != ranks.end() && idle_ranks_.size() < most_idle_ranks) idle_ranks_.push_back(*idle);
  }
}

// Returns by how much the pass lowered the cost.
double Refinement::run_pass() {
  const std::size_t patience = std::max<std::size_t>(50, problem_.units.size() / 50);
  std::fill(locked_.begin(), locked_.end(), char{0});
  steps_.clear();
  actions_ = {};
  find_idle_ranks();
  for (Index unit = 0; unit < problem_.unit_count(); ++unit) push_best(unit);
  double gain = 0;
  double best_gain = 0;
  std::size_t best_steps = 0;
  while (!actions_.empty() && steps_.size() < best_steps + patience && edges_read_ < edge_budget) {
    const Action action = actions_.top();
    actions_.pop();
    if (locked_[action.unit] != 0) continue;
    if (!holds(action)) {
      push_best(action.unit);
      continue;
    }
    apply(action);
    gain += action.gain;
    if (gain > best_gain + least_gain_) {
      best_gain = gain;
      best_steps = steps_.size();
    }
  }
  take_back(best_steps);
  return best_gain;
}

void Refinement::take_back(std::size_t steps_kept) {
  for (; steps_.size() > steps_kept; steps_.pop_back()) {
    const Step& step = steps_.back();
    const Index rank = assignment_.rank_of(step.unit);
    assignment_.remove(step.unit);
    if (step.partner != nowhere) {
      assignment_.remove(step.partner);
      assignment_.assign(step.partner, rank);
    }
    assignment_.assign(step.unit, step.from);
  }
}

void Refinement::push_best(Index unit) {
  Action action = best_action(unit);
  if (action.rank == nowhere) return;
  action.age = age_of(action);
  actions_.push(action);
}

// Both ages only grow, so that an equal sum means that neither changed.
std::uint64_t Refinement::age_of(const Action& action) const {
  return age_[action.unit] + (action.partner == nowhere ? 0 : age_[action.partner]);
}

// Whether the gain is still right, and the rules still let it happen.
bool Refinement::holds(const Action& action) {
  if (action.age != age_of(action)) return false;
  if (action.partner == nowhere) return can_move(action.unit, action.rank);
  return locked_[action.partner] == 0 && can_swap(action.unit, action.partner);
}

Action Refinement::best_action(Index unit) {
  Action best;
  best.unit = unit;
  const Index from = assignment_.rank_of(unit);
  costs_.read(unit, assignment_);
  edges_read_ += problem_.neighbours(unit).size();
  if (costs_.ranks().empty()) return best;
  const double here = costs_.cost(from);
  for (const Index rank : costs_.ranks()) {
    if (rank != from) consider_rank(rank, here - costs_.cost(rank), best);
  }
  const Index best_host = *std::max_element(costs_.hosts().begin(), costs_.hosts().end(),
                                            [&](Index a, Index b) { return costs_.on_host(a) < costs_.on_host(b); });
  if (best_host != problem_.host_of(from)) {
    const auto& ranks = problem_.ranks_of_host[best_host];
    for (std::size_t index = 0; index < std::min(ranks.size(), most_host_ranks); ++index) {
      consider_rank(ranks[index], here - costs_.cost(ranks[index]), best);
    }
  }
  for (const Index rank : idle_ranks_) {
    if (problem_.host_of(rank) != problem_.host_of(from)) consider_rank(rank, here - costs_.cost(rank), best);
  }
  return best;
}

// A move if there is room, whatever it gains; else an exchange, if that gains.
void Refinement::consider_rank(Index rank, double gain, Action& best) {
  if (!assignment_.allowed(best.unit, rank)) return;
  if (best.rank != nowhere && gain <= best.gain && gain <= 0) return;
  if (can_move(best.unit, rank)) {
    if (best.rank == nowhere || gain > best.gain) best = {.gain = gain, .unit = best.unit, .rank = rank};
  } else if (gain > 0) {
    consider_swaps(rank, gain, best);
  }
}

void Refinement::consider_swaps(Index rank, double gain, Action& best) {
  const Index unit = best.unit;
  const Index from = assignment_.rank_of(unit);
  const double distance = distance_cost(problem_, from, rank);
  const std::vector<Index> partners = assignment_.units_on(rank);
  for (std::size_t index = 0; index < std::min(partners.size(), most_swap_partners); ++index) {
    const Index partner = partners[index];
    if (locked_[partner] != 0 || !assignment_.allowed(partner, from) || !balanced(unit, rank, partner)) continue;
    partner_costs_.read(partner, assignment_);
    edges_read_ += problem_.neighbours(partner).size();
    const double partner_gain = partner_costs_.cost(rank) - partner_costs_.cost(from);
    // Both gains count on the other staying where it is; the traffic between the two keeps its distance.
    const double both = gain + partner_gain - 2 * distance * traffic_between(unit, partner);
    if (both <= (best.rank == nowhere ? 0 : std::max(0.0, best.gain)) || !can_swap(unit, partner)) continue;
    best = {.gain = both, .unit = unit, .rank = rank, .partner = partner};
  }
}

bool Refinement::can_move(Index unit, Index rank) {
  return rank != assignment_.rank_of(unit) && balanced(unit, rank, nowhere) && fits_after_leaving(unit, rank);
}

// The unit's own place in a spread group, and its memory on the host, must not stand in its way.
bool Refinement::fits_after_leaving(Index unit, Index rank) {
  const Index from = assignment_.rank_of(unit);
  if (problem_.host_of(from) != problem_.host_of(rank)) return assignment_.fits(unit, rank);
  assignment_.remove(unit);
  const bool fits = assignment_.fits(unit, rank);
  assignment_.assign(unit, from);
  return fits;
}

bool Refinement::can_swap(Index unit, Index partner) {
  const Index from = assignment_.rank_of(unit);
  const Index rank = assignment_.rank_of(partner);
  if (from == rank || !balanced(unit, rank, partner)) return false;
  assignment_.remove(unit);
  assignment_.remove(partner);
  bool fits = assignment_.fits(unit, rank);
  if (fits) {
    assignment_.assign(unit, rank);
    fits = assignment_.fits(partner, from);
    assignment_.remove(unit);
  }
  assignment_.assign(unit, from);
  assignment_.assign(partner, rank);
  return fits;
}

// No rank ends up above 1.1 times the even load, but for what one of the two ranks had before, and, for the load that
// is not computing, what any had at the start; no rank becomes idle for it; no host gets short of cores, but for what
// one of the two hosts was.
bool Refinement::balanced(Index unit, Index rank, Index partner) const {
  const Index from = assignment_.rank_of(unit);
  const bool swap = partner != nowhere;
  if (!swap && assignment_.units_on(from).size() == 1 && !assignment_.units_on(rank).empty()) return false;
  const auto stays_even = [&](auto relative, double more, double even) {
    const double limit =
        std::max({(assignment_.*relative)(from, 0), swap ? (assignment_.*relative)(rank, 0) : 0, even}) +
        load_tolerance;
    return (assignment_.*relative)(rank, more) <= limit && (assignment_.*relative)(from, -more) <= limit;
  };
  static const Unit nobody;
  const Unit& going = problem_.units[unit];
  const Unit& coming = swap ? problem_.units[partner] : nobody;
  if (!stays_even(&Assignment::relative_load, going.cpus - coming.cpus, load_limit_)) return false;
  const double computing = going.computing - coming.computing;
  if (computing == 0) return true;
  if (!stays_even(&Assignment::relative_computing, computing, load_slack * problem_.computing_level.relative))
    return false;
  const Index from_host = problem_.host_of(from);
  const Index host = problem_.host_of(rank);
  if (from_host == host) return true;
  const double limit =
      load_tolerance + std::max(assignment_.host_crowding(from_host, 0), swap ? assignment_.host_crowding(host, 0) : 0);
  return assignment_.host_crowding(host, computing) <= limit &&
         assignment_.host_crowding(from_host, -computing) <= limit;
}

void Refinement::apply(const Action& action) {
  const Index from = assignment_.rank_of(action.unit);
  steps_.push_back({action.unit, from, action.partner});
  assignment_.remove(action.unit);
  if (action.partner != nowhere) {
    assignment_.remove(action.partner);
    assignment_.assign(action.partner, from);
  }
  assignment_.assign(action.unit, action.rank);
  for (const Index moved : {action.unit, action.partner}) {
    if (moved == nowhere) continue;
    locked_[moved] = 1;
    ++age_[moved];
  }
  look_again_at_neighbours(action.unit);
  if (action.partner != nowhere) look_again_at_neighbours(action.partner);
}

void Refinement::look_again_at_neighbours(Index unit) {
  const auto neighbours = problem_.neighbours(unit);
  for (const Neighbour& neighbour : neighbours) ++age_[neighbour.unit];
  if (neighbours.size() > eager_degree) return;
  for (const Neighbour& neighbour : neighbours) {
    if (locked_[neighbour.unit] == 0) push_best(neighbour.unit);
  }
}

double Refinement::traffic_between(Index unit, Index other) const {
  const auto neighbours = problem_.neighbours(unit);
  const auto found = std::lower_bound(neighbours.begin(), neighbours.end(), other,
                                      [](const Neighbour& neighbour, Index id) { return neighbour.unit < id; });
  return found != neighbours.end() && found->unit == other ? found->traffic : 0;
}

}  // namespace

void refine(Assignment& assignment) { Refinement(assignment).run(); }

}  // namespace slipway::detail
