// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace search {

// Successive halving (Jamieson and Talwalkar, arXiv 1502.07943): of the trials on a rung the best, one in `factor`, are
// trained further, to the next one. As in ASHA (Li et al., arXiv 1810.05934) nobody waits until a rung is full: a trial
// goes on as soon as it is among the best of those that have come so far. If that was a mistake, it is called back when
// enough better ones have come. So who comes first does not matter: each rung keeps the same trials in the end.
class Ladder {
 public:
  using Trials = std::vector<std::size_t>;  // by their numbers

  Ladder(std::size_t trials, std::size_t factor) : factor_(factor), accuracies_(trials), goals_(trials, 1) {
    for (std::size_t places = trials; places > 0; places /= factor) places_.push_back(places);
    rankings_.resize(places_.size());
  }
  // By rung: who has come there and may stay, the best first.
  const std::vector<Trials>& rankings() const { return rankings_; }
  // How many rungs the trial is to climb, as far as is known. Less than before: it is called back.
  std::size_t goal(std::size_t trial) const { return goals_[trial]; }

  // The trial has come to its next rung.
  void note(std::size_t trial, double accuracy) {
    accuracies_[trial].push_back(accuracy);
    Trials there(goals_.size());
    std::iota(there.begin(), there.end(), 0);
    bool settled = true;  // nobody on this rung will be called back
    for (std::size_t rung = 0; rung < places_.size(); ++rung) {
      rankings_[rung] = rank(there, rung);
      const bool full = settled && rankings_[rung].size() == places_[rung];
      if (rung + 1 < places_.size()) there = choose(rankings_[rung], rung, settled, full);
      settled = full;
    }
  }

 private:
  // Of equal ones that with the lower number goes first.
  Trials rank(Trials there, std::size_t rung) const {
    std::erase_if(there, [&](std::size_t trial) { return accuracies_[trial].size() <= rung; });
    std::ranges::sort(there, {}, [&](std::size_t trial) { return std::pair(-accuracies_[trial][rung], trial); });
    return there;
  }

  // Who of a rung is on the next, or on the way there.
  Trials choose(const Trials& ranking, std::size_t rung, bool settled, bool full) {
    const std::size_t most = places_[rung + 1];
    const std::size_t best = full ? most : std::min(most, ranking.size() / factor_);
    Trials next;
    for (std::size_t place = 0; place < ranking.size(); ++place) {
      std::size_t& goal = goals_[ranking[place]];
      if (place < best) goal = std::max(goal, rung + 2);
      if (place >= most && settled) goal = rung + 1;
      if (goal > rung + 1) next.push_back(ranking[place]);
    }
    return next;
  }

  std::size_t factor_;
  std::vector<std::vector<double>> accuracies_;  // by trial and rung
  std::vector<std::size_t> goals_;               // by trial
  std::vector<std::size_t> places_;              // by rung
  std::vector<Trials> rankings_;
};

}  // namespace search
