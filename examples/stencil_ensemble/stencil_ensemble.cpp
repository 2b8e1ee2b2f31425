// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <slipway/mpi/gang_communicator.hpp>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plate.hpp"
#include "program.hpp"

// An ensemble of MPI solvers that looks for what was not measured: the conductivity with which a plate gets the
// temperatures that were. Each solver is a gang of ranks; many are submitted at a time, and run where ranks are free.
// Flags: --size (ranks a solver), --width (solvers a round), --rounds, --conductivity (to be found), --check 1.
namespace {

using plate::Plate;
using Temperatures = std::vector<double>;

struct Settings {
  std::uint32_t size = 2;
  int width = 6;
  int rounds = 4;
  double conductivity = 0.1375;
  int check = 0;
};

Temperatures solve_in_a_gang(slipway::Gang& gang, const Plate& plate) {
  plate::Team team{.rank = static_cast<int>(gang.rank()), .size = static_cast<int>(gang.size())};
  if (gang.size() > 1) team.communicator = slipway::mpi_communicator<plate::Communicator>(gang);
  return plate::solve(plate, team);
}

// How far what the members found, one strip after the other, is from what was measured.
double misfit(const std::vector<Temperatures>& strips, const Temperatures& measured) {
  double sum = 0;
  std::size_t next = 0;
  for (const Temperatures& strip : strips) {
    for (const double temperature : strip) sum += std::pow(temperature - measured.at(next++), 2);
  }
  return std::sqrt(sum / static_cast<double>(measured.size()));
}

struct Guess {
  double conductivity = 0;
  double misfit = 0;
};
struct Range {
  double low = 0.01;
  double high = 0.24;
};

std::vector<double> candidates(const Range& range, int width) {
  std::vector<double> all;
  for (int i = 0; i < width; ++i) all.push_back(range.low + (range.high - range.low) * (i + 0.5) / width);
  return all;
}
Range around(const Guess& best, const Range& range, int width) {
  const double reach = (range.high - range.low) / width;
  return {best.conductivity - reach, best.conductivity + reach};
}
Guess best_of(const std::vector<Guess>& guesses) {
  return *std::min_element(guesses.begin(), guesses.end(),
                           [](const Guess& a, const Guess& b) { return a.misfit < b.misfit; });
}

// All solvers of a round at once; `misfit` of one runs while others are still solved.
std::vector<Guess> try_all(const std::vector<double>& conductivities, std::uint32_t size,
                           const Temperatures& measured) {
  std::vector<slipway::Ref<double>> misfits;
  for (const double conductivity : conductivities) {
    const auto strips = slipway::gang<&solve_in_a_gang>(size, Plate{.conductivity = conductivity});
    misfits.push_back(slipway::submit<&misfit>(strips, measured));
  }
  std::vector<Guess> guesses;
  for (std::size_t i = 0; i < misfits.size(); ++i) guesses.push_back({conductivities[i], slipway::get(misfits[i])});
  return guesses;
}
std::vector<Guess> try_all_serially(const std::vector<double>& conductivities, const Temperatures& measured) {
  std::vector<Guess> guesses;
  for (const double each : conductivities) {
    guesses.push_back({each, misfit({plate::solve({.conductivity = each}, {})}, measured)});
  }
  return guesses;
}

class Searcher {
 public:
  explicit Searcher(const Settings& settings) : settings_(settings) {}

  void run(slipway::Context& context) {
    const Temperatures measured = plate::solve({.conductivity = settings_.conductivity}, {});
    Range range;
    Guess best;
    for (int round = 1; round <= settings_.rounds; ++round) {
      const auto conductivities = candidates(range, settings_.width);
      const auto guesses = try_all(conductivities, settings_.size, measured);
      if (settings_.check > 0) compare(guesses, try_all_serially(conductivities, measured));
      best = best_of(guesses);
      context.log("round {}: conductivity {:.5f}, {:.2e} from what was measured", round, best.conductivity,
                  best.misfit);
      range = around(best, range, settings_.width);
    }
    if (settings_.check > 0) context.log("the plain solver gives the same, to the last bit");
    context.log("{} solvers of {} ranks: conductivity {:.5f}, and {:.5f} was to be found",
                settings_.rounds * settings_.width, settings_.size, best.conductivity, settings_.conductivity);
  }

 private:
  static void compare(const std::vector<Guess>& by_gangs, const std::vector<Guess>& plain) {
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (by_gangs[i].misfit != plain[i].misfit) throw std::logic_error("gangs and the plain solver differ");
    }
  }

  Settings settings_;
};

int run(slipway::Options& options, examples::Flags& flags) {
  Settings settings;
  settings.size = flags.get("--size", settings.size);
  settings.width = flags.get("--width", settings.width);
  settings.rounds = flags.get("--rounds", settings.rounds);
  settings.conductivity = flags.get("--conductivity", settings.conductivity);
  settings.check = flags.get("--check", settings.check);
  flags.check();
  if (settings.width < 3 || settings.rounds < 1) throw std::runtime_error("--width is 3 or more, --rounds 1 or more");
  if (!(settings.conductivity >= 0.01 && settings.conductivity <= 0.24)) {
    throw std::runtime_error("--conductivity is between 0.01 and 0.24, where the solver is stable");
  }

  slipway::Program program("stencil_ensemble");
  program.with({.resources = {.cpus = 0.1}}).node<Searcher>("searcher", settings);  // waits mostly
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("stencil_ensemble", run, argc, argv); }
