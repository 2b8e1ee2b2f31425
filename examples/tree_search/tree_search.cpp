// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>

#include "program.hpp"
#include "tree.hpp"

namespace {

using connect_four::Cells;
using connect_four::Position;
using connect_four::Random;
using search::Tree;
using Clock = std::chrono::steady_clock;

constexpr int no_limit = 1'000'000'000;

struct Settings {
  int games = 10;
  std::string opponent = "look_ahead";
  int playouts = 5000;  // a move
  int milliseconds = no_limit;
  int outstanding = 8;  // tasks at most
  int batch = 10;       // playouts a task; one takes about 2 us
  std::uint64_t seed = 1;
  bool check = false;  // each move of the search against that of a plain loop
};

struct Played {
  std::size_t node = 0;
  int points = 0;
};

Played play_out(std::size_t node, const Position& position, std::uint64_t seed, int games) {
  return {.node = node, .points = connect_four::play_out(position, seed, games)};
}

Cells search_serially(const Position& position, const Settings& settings, Random random) {
  Tree tree(position);
  while (tree.games() < settings.playouts) {
    const std::size_t node = tree.descend(settings.batch);
    tree.record(node, connect_four::play_out(tree.position(node), random(), settings.batch), settings.batch);
  }
  return tree.best_move();
}

class Match {
 public:
  explicit Match(const Settings& settings) : settings_(settings) {}

  void run(slipway::Context& context) {
    double score = 0;
    for (int game = 0; game < settings_.games; ++game) score += play(context, game);
    context.log("search {}, {} {} in {} games; {} playouts, {:.0f}/s", score, settings_.opponent,
                settings_.games - score, settings_.games, playouts_,
                static_cast<double>(playouts_) / thinking_.count());
    if (settings_.check) context.log("all {} moves by tasks are those of plain calls", checked_);
  }

 private:
  // Who begins alternates. Gives what the search gets: 1 for a win, a half for a draw.
  double play(slipway::Context& context, int game) {
    Random random(settings_.seed + static_cast<std::uint64_t>(game));
    Position position;
    int stones = game % 2;  // the search moves when it is even
    for (; connect_four::moves(position) != 0; ++stones) {
      position = connect_four::play(position, stones % 2 == 0 ? think(position, random) : oppose(position, random));
    }
    const double score = connect_four::is_won(position) ? stones % 2 : 0.5;
    const char* const place = game % 2 == 0 ? "first" : "second";
    context.log("game {:2}: search moves {}, gets {} after {} stones", game + 1, place, score, stones - game % 2);
    return score;
  }

  Cells think(const Position& position, Random& random) {
    const Random same(random());
    const Cells move = search(position, settings_, same);
    if (settings_.check) check(move, search_serially(position, settings_, same));
    return move;
  }

  void check(Cells by_tasks, Cells by_calls) {
    if (by_tasks != by_calls) throw std::logic_error("tasks and plain calls have found different moves");
    ++checked_;
  }

  // Looks one move ahead, or searches with a tenth of the budget.
  Cells oppose(const Position& position, Random& random) {
    if (settings_.opponent == "look_ahead")
      return connect_four::one_of(connect_four::moves_with_look_ahead(position), random);
    Settings less = settings_;
    less.playouts /= 10;
    less.milliseconds /= 10;
    return search(position, less, Random(random()));
  }

  // Several tasks play out at once; what one gives decides where the next goes, in the order in which they end.
  Cells search(const Position& position, const Settings& settings, Random random) {
    const auto begin = Clock::now();
    const auto deadline = begin + std::chrono::milliseconds(settings.milliseconds);
    Tree tree(position);
    slipway::WaitSet<Played> outstanding;
    const auto refill = [&] {
      while (outstanding.left() < static_cast<std::size_t>(settings.outstanding) && tree.games() < settings.playouts) {
        const std::size_t node = tree.descend(settings.batch);
        outstanding.add(slipway::submit<&play_out>(node, tree.position(node), random(), settings.batch));
      }
    };
    for (refill(); !outstanding.empty() && Clock::now() < deadline; refill()) {
      for (const auto& played : outstanding.wait({.count = 1, .timeout = deadline - Clock::now()})) {
        tree.record(played.value().node, played.value().points, settings.batch);
        playouts_ += settings.batch;
      }
    }
    for (const auto& late : outstanding.refs()) slipway::cancel(late);
    thinking_ += Clock::now() - begin;
    return tree.best_move();
  }

  Settings settings_;
  int checked_ = 0;
  std::int64_t playouts_ = 0;
  std::chrono::duration<double> thinking_{0};
};

int run(slipway::Options& options, examples::Flags& flags) {
  Settings settings;
  settings.games = flags.get("--games", settings.games);
  settings.opponent = flags.get("--opponent", settings.opponent);
  settings.milliseconds = flags.get("--milliseconds", settings.milliseconds);
  settings.playouts = flags.get("--playouts", settings.milliseconds == no_limit ? settings.playouts : no_limit);
  settings.outstanding = flags.get("--outstanding", settings.outstanding);
  settings.batch = flags.get("--batch", settings.batch);
  settings.seed = flags.get("--seed", settings.seed);
  settings.check = flags.get("--check", settings.check);
  flags.check();
  if (settings.opponent != "look_ahead" && settings.opponent != "search")
    throw std::runtime_error("--opponent is look_ahead or search, not '" + settings.opponent + "'");
  if (settings.games < 1 || settings.outstanding < 1 || settings.batch < 1)
    throw std::runtime_error("--games, --outstanding and --batch are 1 or more");
  if (settings.playouts < 10 || settings.milliseconds < 10)
    throw std::runtime_error("--playouts and --milliseconds are 10 or more");
  if (settings.check && (settings.outstanding > 1 || settings.milliseconds != no_limit))
    throw std::runtime_error("--check compares with a plain loop: add --outstanding 1, and leave --milliseconds out");

  slipway::Program program("tree_search");
  program.with({.resources = {.cpus = 0.1}}).node<Match>("match", settings);  // waits mostly
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("tree_search", run, argc, argv); }
