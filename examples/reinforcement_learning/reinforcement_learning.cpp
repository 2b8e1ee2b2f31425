// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "learner.hpp"
#include "program.hpp"

namespace {

using learning::beginner;
using learning::Learner;
using learning::Returns;
using slipway::Ref;

struct Settings {
  std::string way = "pipelined";
  int rollouts = 8;  // a round; each about 7 ms
  int ahead = 2;     // rollouts beyond those that a step of the pipelined way waits for
  int rounds = 400;  // at most
  double rate = 0.2;
  int check = 0;  // rounds of the bulk way that are done again one after the other, to compare
};

struct Result {
  Learner learner;
  int rounds = 0;
  int solved = 0;  // of 100 starts
};

int sum(const std::vector<int>& parts) {
  int all = 0;
  for (const int part : parts) all += part;
  return all;
}

// Of 100 starts, by ten tasks.
int count_solved(const Ref<Learner>& learner) {
  std::vector<Ref<int>> tens;
  for (std::uint64_t ten = 0; ten < 10; ++ten) tens.push_back(slipway::submit<&learning::solved_of_ten>(learner, ten));
  return slipway::get(slipway::submit<&sum>(tens));
}

bool is_time_to_look(int round) { return round % 10 == 0; }

// Way 1: all rollouts of a round, then a step; the slowest rollout holds up the others.
Result learn_in_rounds(const Settings& settings) {
  Ref<Learner> learner = slipway::put(beginner(settings.rate));
  std::uint64_t seed = 0;
  Result result;
  while (result.solved < 100 && result.rounds < settings.rounds) {
    std::vector<Ref<Returns>> rollouts;
    for (int i = 0; i < settings.rollouts; ++i) {
      rollouts.push_back(slipway::submit<&learning::rollout>(learner, seed++));
    }
    slipway::wait(rollouts);
    learner = slipway::submit<&learning::fit>(learner, rollouts);
    if (is_time_to_look(++result.rounds)) result.solved = count_solved(learner);
  }
  result.learner = slipway::get(learner);
  return result;
}

// Way 2: a step as soon as enough rollouts have come, while others go on with the learner before.
Result learn_pipelined(slipway::TaskContext& task, const Settings& settings) {
  Ref<Learner> learner = slipway::put(beginner(settings.rate));
  std::uint64_t seed = 0;
  Result result;
  slipway::WaitSet<Returns> rollouts;
  for (int i = 0; i < settings.rollouts + settings.ahead; ++i)
    rollouts.add(slipway::submit<&learning::rollout>(learner, seed++));
  while (result.solved < 100 && result.rounds < settings.rounds && !task.stop_requested()) {
    const auto came = rollouts.wait({.count = static_cast<std::size_t>(settings.rollouts)});
    learner = slipway::submit<&learning::fit>(learner, came);
    for (std::size_t i = 0; i < came.size(); ++i) rollouts.add(slipway::submit<&learning::rollout>(learner, seed++));
    if (is_time_to_look(++result.rounds)) result.solved = count_solved(learner);
  }
  for (const auto& rest : rollouts.refs()) slipway::cancel(rest);
  result.learner = slipway::get(learner);
  return result;
}

// Way 3: way 2 as a task, one for each learning rate; who learns it first ends the others.
Result search(const Settings& settings) {
  std::vector<Ref<Result>> learners;
  for (const double rate : {0.05, 0.1, 0.2, 0.4}) {
    Settings tried = settings;
    tried.rate = rate;
    learners.push_back(slipway::submit<&learn_pipelined>(slipway::on({.name = "learn"}), tried));
  }
  slipway::WaitSet<Result> waiting(learners);
  Result best;
  while (best.solved < 100 && !waiting.empty()) {
    const Result next = waiting.next()->value();
    if (next.solved >= best.solved) best = next;
  }
  for (const auto& rest : waiting.refs()) slipway::cancel(rest, {.children = true});
  return best;
}

// The first rounds of way 1 without tasks.
Learner learn_serially(const Settings& settings) {
  Learner learner = beginner(settings.rate);
  std::uint64_t seed = 0;
  for (int round = 0; round < settings.check; ++round) {
    std::vector<Returns> rollouts;
    for (int i = 0; i < settings.rollouts; ++i) rollouts.push_back(learning::rollout(learner, seed++));
    learner = learning::fit(learner, rollouts);
  }
  return learner;
}

class Trainer {
 public:
  explicit Trainer(const Settings& settings) : settings_(settings) {}

  void run(slipway::Context& context) {
    if (settings_.check > 0) check(context);
    const auto start = std::chrono::steady_clock::now();
    const Result result = learn();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    context.log("{}: {} rounds in {:.1f} s, rate {}, solved {} of 100 starts", settings_.way, result.rounds,
                seconds.count(), result.learner.rate, result.solved);
  }

 private:
  Result learn() const {
    if (settings_.way == "bulk") return learn_in_rounds(settings_);
    if (settings_.way == "search") return search(settings_);
    return slipway::get(slipway::submit<&learn_pipelined>(settings_));
  }
  void check(slipway::Context& context) const {
    Settings few = settings_;
    few.rounds = settings_.check;
    if (learn_in_rounds(few).learner.policy != learn_serially(few).policy) {
      throw std::logic_error("tasks and plain calls have learned different policies");
    }
    context.log("{} rounds by tasks give the policy of plain calls, to the last bit", settings_.check);
  }

  Settings settings_;
};

int run(slipway::Options& options, examples::Flags& flags) {
  Settings settings;
  settings.way = flags.get("--way", settings.way);
  settings.rollouts = flags.get("--rollouts", settings.rollouts);
  settings.ahead = flags.get("--ahead", settings.ahead);
  settings.rounds = flags.get("--rounds", settings.rounds);
  settings.rate = flags.get("--rate", settings.rate);
  settings.check = flags.get("--check", settings.check);
  flags.check();
  if (settings.way != "bulk" && settings.way != "pipelined" && settings.way != "search") {
    throw std::runtime_error("--way is bulk, pipelined or search, not '" + settings.way + "'");
  }
  if (settings.rollouts < 1 || settings.ahead < 0)
    throw std::runtime_error("--rollouts is 1 or more, --ahead 0 or more");

  slipway::Program program("reinforcement_learning");
  program.with({.resources = {.cpus = 0.1}}).node<Trainer>("trainer", settings);  // waits mostly
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("reinforcement_learning", run, argc, argv); }
