// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <slipway/slipway.hpp>
#include <thread>
#include <tuple>

#include "evolution.hpp"
#include "program.hpp"

namespace {

using evolution::PairReward;

struct Settings {
  int evaluators = 3;
  int pairs = 32;          // of episodes a generation, shared among the evaluators
  int generations = 300;   // at most
  int deadline_ms = 2000;  // of a generation: what comes later is dropped
  int slow_ms = 0;         // what the last evaluator sleeps in each tenth generation, to make a straggler
  bool stop_when_solved = true;

  int first_pair(std::size_t evaluator) const { return pairs * static_cast<int>(evaluator) / evaluators; }
};

// Lets varied policies act. Keeps nothing between calls.
class Evaluator {
 public:
  Evaluator(const Settings& settings, int index) : slow_(index + 1 == settings.evaluators ? settings.slow_ms : 0) {}

  std::vector<PairReward> evaluate(const std::vector<float>& policy, std::uint64_t generation, int first, int last) {
    if (generation % 10 == 9) std::this_thread::sleep_for(slow_);
    std::vector<PairReward> rewards;
    for (int pair = first; pair < last; ++pair) rewards.push_back(evolution::evaluate_pair(policy, generation, pair));
    return rewards;
  }

 private:
  std::chrono::milliseconds slow_;
};

// Searches until the policy solves the task from each of 100 starts that it has never seen.
class Searcher {
 public:
  Searcher(slipway::Group<Evaluator> evaluators, const Settings& settings)
      : evaluators_(std::move(evaluators)), settings_(settings) {}

  void run(slipway::Context& context) {
    const auto start = std::chrono::steady_clock::now();
    double solved = 0;
    while (search_.generation() < static_cast<std::uint64_t>(settings_.generations)) {
      const std::vector<PairReward> rewards = evaluate_generation();
      context.report("evaluations", 2 * static_cast<double>(rewards.size()));
      search_.update(rewards);
      if (search_.generation() % 10 != 0) continue;
      solved = search_.solved_share(100);
      context.log("generation {:4}  solved {:.2f}  dropped pairs {}", search_.generation(), solved, dropped_);
      if (settings_.stop_when_solved && solved == 1) break;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    context.log("{} evaluators, {} pairs, solved {:.2f}: {:.1f} generations/s, {:.0f} evaluations/s",
                settings_.evaluators, settings_.pairs, solved,
                static_cast<double>(search_.generation()) / seconds.count(),
                static_cast<double>(2 * evaluated_) / seconds.count());
  }

 private:
  std::vector<PairReward> evaluate_generation() {
    std::vector<slipway::Future<std::vector<PairReward>>> futures;
    for (std::size_t i = 0; i < evaluators_.size(); ++i) {
      const auto evaluator = evaluators_[i].with({.timeout = std::chrono::milliseconds(settings_.deadline_ms)});
      futures.push_back(evaluator.call<&Evaluator::evaluate>(search_.policy(), search_.generation(),
                                                             settings_.first_pair(i), settings_.first_pair(i + 1)));
    }
    std::vector<PairReward> rewards;
    for (auto& done : slipway::as_completed(std::move(futures))) {
      try {
        const std::vector<PairReward> part = done.get();
        rewards.insert(rewards.end(), part.begin(), part.end());
      } catch (const slipway::Timeout&) {
        dropped_ += settings_.first_pair(done.index + 1) - settings_.first_pair(done.index);
      }
    }
    evaluated_ += static_cast<std::int64_t>(rewards.size());
    return rewards;
  }

  slipway::Group<Evaluator> evaluators_;
  Settings settings_;
  evolution::Search search_;
  std::int64_t evaluated_ = 0;  // pairs
  std::int64_t dropped_ = 0;    // pairs
};

int run(slipway::Options& options, examples::Flags& flags) {
  Settings settings;
  settings.evaluators = flags.get("--evaluators", settings.evaluators);
  settings.pairs = flags.get("--pairs", settings.pairs);
  settings.generations = flags.get("--generations", settings.generations);
  settings.deadline_ms = flags.get("--deadline-ms", settings.deadline_ms);
  settings.slow_ms = flags.get("--slow-ms", settings.slow_ms);
  settings.stop_when_solved = flags.get("--stop-when-solved", 1) != 0;
  flags.check();

  slipway::Program program("evolution_strategies");
  auto evaluators = program.group<Evaluator>("evaluator", static_cast<std::size_t>(settings.evaluators),
                                             [&](int index) { return std::tuple(settings, index); });
  program.with({.resources = {.cpus = 0.1}}).node<Searcher>("searcher", evaluators, settings);  // waits mostly
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("evolution_strategies", run, argc, argv); }
