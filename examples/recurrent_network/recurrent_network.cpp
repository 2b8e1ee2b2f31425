// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <slipway/rpc/eigen.hpp>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "network.hpp"
#include "program.hpp"

namespace {

using recurrent::Array;
using recurrent::Matrix;
using recurrent::Moments;
using recurrent::Series;
using slipway::Ref;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::array units = {192, 96, 256, 128};  // of each layer, from below; the read-out sees the last
constexpr std::size_t layers = units.size();

struct Settings {
  int steps = 200;
  int groups = 3;   // of series; each has a grid of its own, and the last is kept for the test
  int series = 16;  // a group, side by side in each task
  int repeat = 3;   // the fastest time counts
  int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));  // of all ranks together
};

// What the last layer says, by group and step.
template <class T>
using Grids = std::vector<std::vector<T>>;

// By tasks: layers x steps cells, submitted at once. A cell runs when the one below it and the one before it have run.
std::vector<Ref<Array>> submit_grid(const std::vector<Ref<Matrix>>& weights, const Series& series, int steps) {
  std::vector<Ref<Array>> said;  // by each layer in the step before
  for (const int count : units) said.push_back(slipway::put(recurrent::silence(count, series)));
  std::vector<Ref<Array>> last;
  for (int step = 0; step < steps; ++step) {
    Ref<Array> below = slipway::put(series.at(step));
    for (std::size_t layer = 0; layer < layers; ++layer) {
      below = said[layer] = slipway::submit<&recurrent::cell>(weights[layer], below, said[layer]);
    }
    last.push_back(below);
  }
  return last;
}

// The same by plain calls; adds up what those of each layer take.
std::vector<Array> compute_grid(const std::vector<Matrix>& weights, const Series& series, int steps,
                                std::array<Seconds, layers>& took) {
  std::vector<Array> said;
  for (const int count : units) said.push_back(recurrent::silence(count, series));
  std::vector<Array> last;
  for (int step = 0; step < steps; ++step) {
    Array below = series.at(step);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const auto start = Clock::now();
      below = said[layer] = recurrent::cell(weights[layer], below, said[layer]);
      took[layer] += Clock::now() - start;
    }
    last.push_back(below);
  }
  return last;
}

Ref<double> submit_test(const Grids<Ref<Array>>& said, const std::vector<Series>& series) {
  std::vector<Ref<Moments>> parts;
  for (std::size_t i = 0; i < said.size(); ++i) {
    parts.push_back(slipway::submit<&recurrent::moments>(said[i], series[i]));
  }
  return slipway::submit<&recurrent::test_error>(parts);
}
double compute_test(const Grids<Array>& said, const std::vector<Series>& series) {
  std::vector<Moments> parts;
  for (std::size_t i = 0; i < said.size(); ++i) parts.push_back(recurrent::moments(said[i], series[i]));
  return recurrent::test_error(parts);
}

bool same(const Grids<Ref<Array>>& said, const Grids<Array>& expected) {
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto same_array = [](const Ref<Array>& a, const Array& b) { return (slipway::get(a) == b).all(); };
    if (!std::ranges::equal(said[i], expected[i], same_array)) return false;
  }
  return true;
}

class Forecaster {
 public:
  explicit Forecaster(const Settings& settings) : settings_(settings) {
    for (std::size_t layer = 0; layer < layers; ++layer) {
      weights_.push_back(recurrent::random_weights(layer == 0 ? 1 : units[layer - 1], units[layer], layer));
    }
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(settings.groups); ++seed) {
      series_.push_back(recurrent::random_series(settings.series, settings.steps, seed));
    }
  }

  void run(slipway::Context& context) {
    for (const Matrix& each : weights_) shared_weights_.push_back(slipway::put(each));
    for (int i = 0; i < settings_.repeat; ++i) compare();
    context.log("tasks and plain calls give the same, to the last bit");
    const auto ms = [](Seconds seconds) { return 1e3 * seconds.count(); };
    const Seconds packed = std::max(chain_, calls_ / settings_.cores);
    context.log("{} cells: {:.1f} ms by plain calls, {:.1f} ms by tasks",
                static_cast<std::size_t>(settings_.groups * settings_.steps) * layers, ms(calls_), ms(tasks_));
    context.log("packed perfectly on {} cores: {:.1f} ms, of which tasks reach {:.0f} %; the longest chain: {:.1f} ms",
                settings_.cores, ms(packed), 100 * packed / tasks_, ms(chain_));
    context.log("error of {} steps ahead, for series never seen: {:.4f}", recurrent::ahead, error_);
  }

 private:
  void compare() {
    const Grids<Array> expected = run_calls();
    const Grids<Ref<Array>> said = run_tasks();
    error_ = slipway::get(submit_test(said, series_));
    if (!same(said, expected) || error_ != compute_test(expected, series_)) {
      throw std::logic_error("tasks and plain calls give different values");
    }
  }

  Grids<Array> run_calls() {
    std::array<Seconds, layers> took{};
    const auto start = Clock::now();
    Grids<Array> said;
    for (const Series& each : series_) said.push_back(compute_grid(weights_, each, settings_.steps, took));
    calls_ = std::min<Seconds>(calls_, Clock::now() - start);
    chain_ = std::min(chain_, longest_chain(took));
    return said;
  }
  Grids<Ref<Array>> run_tasks() {
    const auto start = Clock::now();
    Grids<Ref<Array>> said;
    for (const Series& each : series_) said.push_back(submit_grid(shared_weights_, each, settings_.steps));
    for (const auto& each : said) slipway::get(each.back());
    tasks_ = std::min<Seconds>(tasks_, Clock::now() - start);
    return said;
  }

  // A cell of each layer, and in all other steps the slowest layer: each of these needs the one before.
  Seconds longest_chain(const std::array<Seconds, layers>& took) const {
    const Seconds once = std::accumulate(took.begin(), took.end(), Seconds());
    return (once + (settings_.steps - 1) * *std::ranges::max_element(took)) / (settings_.groups * settings_.steps);
  }

  const Settings settings_;
  std::vector<Series> series_;
  std::vector<Matrix> weights_;
  std::vector<Ref<Matrix>> shared_weights_;
  Seconds calls_ = Seconds::max();  // the fastest
  Seconds tasks_ = Seconds::max();
  Seconds chain_ = Seconds::max();
  double error_ = 0;
};

int run(slipway::Options& options, examples::Flags& flags) {
  Settings settings;
  for (auto [name, value, least] :
       {std::tuple("--steps", &settings.steps, recurrent::warm_up + 1), std::tuple("--groups", &settings.groups, 2),
        std::tuple("--series", &settings.series, 1), std::tuple("--repeat", &settings.repeat, 1),
        std::tuple("--cores", &settings.cores, 1)}) {
    *value = flags.get(name, *value);
    if (*value < least) {
      throw std::runtime_error(std::string("the flag ") + name + " must be at least " + std::to_string(least));
    }
  }
  flags.check();

  slipway::Program program("recurrent_network");
  program.with({.resources = {.cpus = 0.1}}).node<Forecaster>("forecaster", settings);  // waits mostly
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("recurrent_network", run, argc, argv); }
