// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <slipway/rpc/eigen.hpp>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>

#include "ladder.hpp"
#include "program.hpp"
#include "trial.hpp"

namespace {

using search::Model;
using slipway::Ref;

struct Settings {
  std::size_t trials = 81;
  std::size_t factor = 3;  // one trial in so many goes on from a rung to the next, to be trained so many times as long
  std::size_t epochs = 1;  // to the first rung
  std::string data = SLIPWAY_EXAMPLE_DATA "/digits.h5";
  std::size_t epochs_to(std::size_t rung) const { return rung == 0 ? epochs : factor * epochs_to(rung - 1); }
};

// Trials are chosen by images that they are not trained on. The held-out ones are for the end.
struct Data {
  digits::Images training, choosing, held_out;
};

Data load(const std::string& path) {
  const auto lock = slipway::hdf5_lock();
  const auto [images, held_out] = digits::load(path);
  const int kept = images.count() / 4;
  const auto middle = images.labels.begin() + kept;
  return {.training = {images.pixels.rightCols(images.count() - kept), {middle, images.labels.end()}},
          .choosing = {images.pixels.leftCols(kept), {images.labels.begin(), middle}},
          .held_out = held_out};
}

// A trial is a chain of these.
Model climb(slipway::TaskContext& task, Model model, const Data& data, std::size_t epochs) {
  while (model.epochs < epochs && !task.stop_requested()) search::train_epoch(model, data.training);
  model.accuracy = search::accuracy(model, data.choosing);
  return model;
}

using Found = std::vector<std::vector<Model>>;  // by rung, the best first

// A rung after the other, a trial after the other.
Found search_by_calls(const Settings& settings, const Data& data) {
  std::vector<Model> models;
  for (std::size_t trial = 0; trial < settings.trials; ++trial) models.push_back(search::beginner(trial));
  Found found;
  for (std::size_t places = settings.trials; places > 0; places /= settings.factor) {
    models.resize(places);
    for (Model& model : models) {
      while (model.epochs < settings.epochs_to(found.size())) search::train_epoch(model, data.training);
      model.accuracy = search::accuracy(model, data.choosing);
    }
    std::ranges::sort(models, {}, [](const Model& model) { return std::pair(-model.accuracy, model.trial); });
    found.push_back(models);
  }
  return found;
}

class Searcher {
 public:
  explicit Searcher(const Settings& settings) : settings_(settings), chains_(settings.trials) {}

  void run(slipway::Context& context) {
    data_ = slipway::put(load(settings_.data));
    search_by_tasks();
    const Found found = collect();
    report(context, found);
    if (search_by_calls(settings_, slipway::get(data_)) != found)
      throw std::logic_error("plain calls find other models");
    context.log("plain calls find the same models on each rung, to the last bit");
  }

 private:
  using Chain = std::vector<Ref<Model>>;  // by rung

  void search_by_tasks() {
    for (std::size_t trial = 0; trial < chains_.size(); ++trial)
      submit_next(trial, slipway::put(search::beginner(trial)));
    while (const auto done = waiting_.next()) {
      if (done->outcome() == slipway::Outcome::cancelled) continue;
      ladder_.note(done->value().trial, done->value().accuracy);
      for (std::size_t trial = 0; trial < chains_.size(); ++trial) {
        const Chain& chain = chains_[trial];
        if (ladder_.goal(trial) > chain.size()) submit_next(trial, chain.back());
        if (ladder_.goal(trial) < chain.size()) slipway::cancel(chain.back());
      }
    }
  }
  // Who has come far goes first: that shows soon who need not go on.
  void submit_next(std::size_t trial, const Ref<Model>& model) {
    const std::size_t rung = chains_[trial].size();
    const auto options = slipway::on({.priority = static_cast<std::uint8_t>(rung)});
    chains_[trial].push_back(slipway::submit<&climb>(options, model, data_, settings_.epochs_to(rung)));
    waiting_.add(chains_[trial].back());
  }

  Found collect() const {
    Found found;
    for (const auto& ranking : ladder_.rankings()) {
      auto& models = found.emplace_back();
      for (const std::size_t trial : ranking) models.push_back(slipway::get(chains_[trial][found.size() - 1]));
    }
    return found;
  }

  void report(slipway::Context& context, const Found& found) const {
    context.log("rung  epochs  trials  called back  best accuracy   worst");
    std::size_t trained = 0;  // epochs, also of those that were called back
    for (std::size_t rung = 0; rung < found.size(); ++rung) {
      const std::vector<Model>& models = found[rung];
      const std::size_t epochs = settings_.epochs_to(rung);
      const auto started = std::ranges::count_if(chains_, [&](const Chain& chain) { return chain.size() > rung; });
      trained += static_cast<std::size_t>(started) * (epochs - (rung == 0 ? 0 : settings_.epochs_to(rung - 1)));
      context.log("{:4}  {:6}  {:6}  {:11}  {:13.4f}  {:.4f}", rung, epochs, models.size(),
                  started - std::ssize(models), models.front().accuracy, models.back().accuracy);
    }
    const std::size_t all = settings_.trials * settings_.epochs_to(found.size() - 1);
    context.log("{} epochs at most, where all trials to the end have {}: {} % saved", trained, all,
                100 * (all - trained) / all);
    const Model& best = found.back().front();
    context.log("best: {} units, batches of {}, rate {:.4f}; accuracy on held-out images {:.4f}", best.hidden,
                best.batch, best.rate, search::accuracy(best, slipway::get(data_).held_out));
  }

  const Settings settings_;
  search::Ladder ladder_{settings_.trials, settings_.factor};
  std::vector<Chain> chains_;  // by trial
  Ref<Data> data_;
  slipway::WaitSet<Model> waiting_;
};

int run(slipway::Options& options, examples::Flags& flags) {
  Settings settings;
  settings.trials = flags.get("--trials", settings.trials);
  settings.factor = flags.get("--factor", settings.factor);
  settings.epochs = flags.get("--epochs", settings.epochs);
  settings.data = flags.get("--data", settings.data);
  flags.check();
  if (settings.trials < 1 || settings.factor < 2 || settings.epochs < 1 ||
      std::max({settings.trials, settings.factor, settings.epochs}) > 10'000)
    throw std::runtime_error("--trials and --epochs are 1 to 10000, --factor is 2 to 10000");

  slipway::Program program("hyperparameter_search");
  program.with({.resources = {.cpus = 0.1}}).node<Searcher>("searcher", settings);  // waits mostly
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("hyperparameter_search", run, argc, argv); }
