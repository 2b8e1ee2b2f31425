// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "connect_four.hpp"

// What a search knows: the positions it has looked at, and what playing them out has given. Nothing of slipway.
namespace search {

using connect_four::Cells;
using connect_four::Position;

class Tree {
 public:
  explicit Tree(const Position& root) { nodes_.push_back({.position = root, .untried = connect_four::moves(root)}); }

  // Goes down by upper confidence bounds to a position that is new, or at the end of a game. So many games are to be
  // played from there; until `record` they count as lost for whoever moves that way ("virtual loss"), so that other
  // descents go elsewhere.
  std::size_t descend(int games) {
    std::size_t node = 0;
    while (nodes_[node].untried == 0 && !nodes_[node].children.empty()) node = most_promising_child(node);
    if (nodes_[node].untried != 0) node = expand(node);
    for (std::size_t above = node; above != 0; above = nodes_[above].parent) nodes_[above].games += games;
    nodes_[0].games += games;
    return node;
  }
  // What the games have given the player who is to move there.
  void record(std::size_t node, int points, int games) {
    for (; node != 0; node = nodes_[node].parent) nodes_[node].points += points = 2 * games - points;
  }

  const Position& position(std::size_t node) const { return nodes_[node].position; }
  std::int64_t games() const { return nodes_[0].games; }
  // Through which most games went.
  Cells best_move() const {
    std::size_t best = nodes_[0].children.at(0);
    for (const std::size_t child : nodes_[0].children) best = nodes_[child].games > nodes_[best].games ? child : best;
    return position(best).taken ^ position(0).taken;
  }

 private:
  struct Node {
    Position position;
    Cells untried = 0;  // moves
    std::size_t parent = 0;
    std::vector<std::size_t> children{};
    std::int64_t games = 0;
    std::int64_t points = 0;  // of the player who has moved here; two a won game
  };

  static double bound(const Node& child, double log_games) {
    const auto games = static_cast<double>(child.games);
    return static_cast<double>(child.points) / (2 * games) + std::sqrt(log_games / (2 * games));
  }

  std::size_t expand(std::size_t parent) {
    const Cells cell = connect_four::lowest(nodes_[parent].untried);
    nodes_[parent].untried ^= cell;
    nodes_[parent].children.push_back(nodes_.size());
    const Position after = connect_four::play(position(parent), cell);
    nodes_.push_back({.position = after, .untried = connect_four::moves(after), .parent = parent});
    return nodes_.size() - 1;
  }
  std::size_t most_promising_child(std::size_t parent) const {
    const double log_games = std::log(static_cast<double>(nodes_[parent].games));
    std::size_t best = nodes_[parent].children.front();
    for (const std::size_t child : nodes_[parent].children) {
      if (bound(nodes_[child], log_games) > bound(nodes_[best], log_games)) best = child;
    }
    return best;
  }

  std::vector<Node> nodes_;
};

}  // namespace search
