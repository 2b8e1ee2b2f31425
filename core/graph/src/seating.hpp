// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assignment.hpp"

namespace slipway::detail {

// Places units one at a time where they load the machine least, then where their traffic is cheapest. When no rank has
// room, others that block it are moved away along an augmenting path (as in bipartite matching): wishes for single
// ranks or hosts are thus met whenever they can be; where resources must be packed, it is a heuristic.
class Seating {
 public:
  explicit Seating(Assignment& assignment);

  // Units that are hard to place first. False, with nothing else changed, if a unit found no place: see failure().
  bool place_all(std::vector<Index> units);

  // Why the last place_all() failed, as a sentence.
  const std::string& failure() const { return failure_; }

 private:
  struct Key;
  struct Change {
    Index unit;
    Index from;
    Index to;
  };

  Index place_in_order(const std::vector<Index>& units);
  bool place(Index unit);
  Key key(Index unit, Index rank) const;
  Index best_rank(Index unit);
  bool make_room(Index unit);
  bool evict_and_place(Index unit, Index rank);
  void change(Index unit, Index to);
  void undo(std::size_t first_change);
  std::string explain(Index unit) const;

  template <class Function>
  void for_each_allowed(Index unit, Function function) const;

  Assignment& assignment_;
  const PlacementProblem& problem_;
  ConnectionCosts costs_;
  std::vector<Change> changes_;
  std::vector<char> visited_;  // ranks from which this search has evicted
  std::string failure_;
};

}  // namespace slipway::detail
