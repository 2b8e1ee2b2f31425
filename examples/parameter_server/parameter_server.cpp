// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>
#include <slipway/slipway.hpp>
#include <tuple>

#include "program.hpp"
#include "training.hpp"

namespace {

using digits::Training;
using Values = std::vector<float>;

// Keeps one part of the parameters and applies the gradients of the trainers to it. Its methods run one at a time; one
// that must wait for others is a coroutine, which lets them in meanwhile (interleave).
class Shard {
 public:
  Shard(const Training& training, int index)
      : training_(training),
        optimizer_(training.optimizer(static_cast<std::size_t>(index))),
        mean_(optimizer_.parameters().size()) {}

  // Asynchronous: applied at once. Synchronous: when each trainer has sent one, their mean is applied.
  slipway::Async<Values> update(Values gradient) {
    if (!training_.synchronous) {
      apply(gradient);
    } else {
      for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += gradient[i] / static_cast<float>(training_.trainers);
      if (++arrived_ < training_.trainers) {
        auto applied = version_reached(optimizer_.version() + 1);
        co_await std::move(applied);
      } else {
        apply(std::exchange(mean_, Values(mean_.size())));
        arrived_ = 0;
      }
    }
    co_return optimizer_.parameters();
  }

  // The parameters, once they have had at least so many updates.
  slipway::Async<Values> parameters(int version) {
    if (optimizer_.version() < version) {
      auto reached = version_reached(version);
      co_await std::move(reached);
    }
    co_return optimizer_.parameters();
  }

 private:
  slipway::Future<void> version_reached(int version) {
    return waiting_.emplace(version, slipway::Promise<void>())->second.future();
  }

  void apply(const Values& gradient) {
    optimizer_.apply(gradient);
    const auto last = waiting_.upper_bound(optimizer_.version());
    for (auto next = waiting_.begin(); next != last; ++next) next->second.set();
    waiting_.erase(waiting_.begin(), last);
  }

  Training training_;
  digits::Optimizer optimizer_;
  Values mean_;
  int arrived_ = 0;
  std::multimap<int, slipway::Promise<void>> waiting_;  // by the version that is waited for
};

// Ranks may be threads of one process, and HDF5 takes one at a time.
digits::Digits load(const std::string& path) {
  const auto lock = slipway::hdf5_lock();
  return digits::load(path);
}

// Computes gradients of random batches; sends each shard its part and gets that part of the parameters back.
struct Trainer {
  slipway::Group<Shard> shards;
  Training training;
  int index = 0;

  void run(slipway::Context& context) {
    const digits::Images images = load(training.data).training;
    digits::Classifier classifier(training.hidden);
    Values parameters = training.initial_parameters();
    Values gradient(parameters.size());
    std::mt19937_64 random(1000 + static_cast<std::uint64_t>(index));
    for (int step = 0; step < training.gradients(index); ++step) {
      classifier.gradient(parameters, images, training.batch, random, gradient);
      std::vector<slipway::Future<Values>> replies;
      for (std::size_t shard = 0; shard < shards.size(); ++shard) {
        const auto part = training.part(gradient, shard);
        replies.push_back(shards[shard].call<&Shard::update>(Values(part.begin(), part.end())));
      }
      for (std::size_t shard = 0; shard < shards.size(); ++shard) {
        std::ranges::copy(replies[shard].get(), training.part(parameters, shard).begin());
      }
      context.report("images", training.batch);
    }
  }
};

// Follows the training on images that no trainer sees, and keeps the result.
struct Evaluator {
  slipway::Group<Shard> shards;
  Training training;

  Values collect(int version) {
    Values parameters;
    for (auto& part : shards.call_all<&Shard::parameters>(version)) {
      const Values values = part.get();
      parameters.insert(parameters.end(), values.begin(), values.end());
    }
    return parameters;
  }

  void run(slipway::Context& context) {
    const digits::Images images = load(training.data).held_out;
    digits::Classifier classifier(training.hidden);
    digits::Result result;
    const auto start = std::chrono::steady_clock::now();
    for (int evaluation = 0; evaluation <= training.evaluations; ++evaluation) {
      const int version = training.evaluated_version(evaluation);
      result.parameters = version == 0 ? training.initial_parameters() : collect(version);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      context.log("{}", result.add(version, seconds.count(), classifier.score(result.parameters, images)));
    }
    {
      const auto lock = slipway::hdf5_lock();
      digits::save(training, result, context.result_directory() + "/result.h5");
    }
    context.log("{}", result.summary(training));
  }
};

int run(slipway::Options& options, examples::Flags& flags) {
  const Training training = Training::from_flags(flags);
  slipway::Program program("parameter_server");
  // An update is little work: shards may share a core with a trainer.
  auto shards = program.with({.resources = {.cpus = 0.25}, .interleave = true})
                    .group<Shard>("shard", static_cast<std::size_t>(training.shards),
                                  [&](int index) { return std::tuple(training, index); });
  program.group<Trainer>("trainer", static_cast<std::size_t>(training.trainers),
                         [&](int index) { return std::tuple(shards, training, index); });
  program.with({.resources = {.cpus = 0.1}}).node<Evaluator>("evaluator", shards, training);  // idle most of the time
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("parameter_server", run, argc, argv); }
