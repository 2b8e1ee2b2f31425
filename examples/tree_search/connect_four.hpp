// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <random>

// Two players drop stones into seven columns of six cells; four in a line win. Plain values and functions; nothing of
// slipway.
namespace connect_four {

// A set of cells. Seven bits a column, the lowest cell first; the seventh stays empty, so that no line wraps round.
using Cells = std::uint64_t;
inline constexpr Cells bottom = 0x0000040810204081;
inline constexpr Cells board = bottom * 0b0111111;

struct Position {
  Cells mine = 0;   // of the player who is to move
  Cells taken = 0;  // of both
  Cells theirs() const { return mine ^ taken; }
};

inline bool has_four(Cells stones) {
  for (const int step : {1, 6, 7, 8}) {  // up, and the three directions that cross columns
    const Cells pairs = stones & (stones >> step);
    if ((pairs & (pairs >> (2 * step))) != 0) return true;
  }
  return false;
}

inline Position play(const Position& position, Cells cell) { return {position.theirs(), position.taken | cell}; }
inline bool is_won(const Position& position) { return has_four(position.theirs()); }  // by the last move

// The lowest free cell of each column; nowhere when the game is over.
inline Cells moves(const Position& position) {
  return is_won(position) ? 0 : (position.taken + bottom) & board & ~position.taken;
}

inline Cells lowest(Cells cells) { return cells & (~cells + 1); }

// Those of the moves that make four of the stones.
inline Cells winning(Cells stones, Cells moves) {
  Cells wins = 0;
  for (; moves != 0; moves &= moves - 1) {
    if (has_four(stones | lowest(moves))) wins |= lowest(moves);
  }
  return wins;
}

// What a player thinks of who looks one move ahead: to win at once, else to stop the other from that, else any move.
inline Cells moves_with_look_ahead(const Position& position) {
  const Cells all = moves(position);
  if (const Cells wins = winning(position.mine, all); wins != 0) return wins;
  if (const Cells threats = winning(position.theirs(), all); threats != 0) return threats;
  return all;
}

using Random = std::mt19937_64;

inline Cells one_of(Cells cells, Random& random) {
  for (auto skip = random() % static_cast<std::uint64_t>(std::popcount(cells)); skip > 0; --skip) cells &= cells - 1;
  return lowest(cells);
}

// What the player who is to move gets of so many games, in which both look one move ahead and trust to luck: two points
// for a win, one for a draw.
inline int play_out(const Position& from, std::uint64_t seed, int games) {
  Random random(seed);
  int points = 0;
  for (int game = 0; game < games; ++game) {
    Position position = from;
    bool my_move = true;
    for (; moves(position) != 0; my_move = !my_move) {
      position = play(position, one_of(moves_with_look_ahead(position), random));
    }
    if (!is_won(position)) points += 1;
    if (is_won(position) && !my_move) points += 2;
  }
  return points;
}

}  // namespace connect_four
