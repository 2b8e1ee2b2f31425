// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/testing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>

#include "edge_rules.hpp"
#include "modes.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/seeded_scheduler.hpp"
#include "slipway/local/local_transport.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/runtime/options.hpp"
#include "slipway/runtime/rank_runtime.hpp"

namespace slipway::testing {

namespace {

constexpr std::uint32_t default_seeds = 100;

Options options_of(const Conditions& setup) {
  Options options;
  options.set_default("quiet", "true");
  options.set_default("serialize-local", setup.serialize_local ? "true" : "false");
  for (const auto& [name, value] : setup.options) options.set_default(name, value);
  return options;
}

// All ranks of one run, each on a thread of its own.
class World {
 public:
  World(Program& program, const Conditions& setup, const std::function<void(Running&)>& body)
      : options_(options_of(setup)),
        world_(setup.ranks),
        edges_(program.graph()),
        running_(world_, edges_, requests_),
        outcomes_(setup.ranks) {
    for (std::uint32_t rank = 0; rank < setup.ranks; ++rank) transports_.push_back(world_.transport(RankId(rank)));
    for (const auto& delay : setup.delays) world_.delay(RankId(delay.from), RankId(delay.to), delay.duration);
    for (const auto& edge : setup.edges) {
      if (edge.delay.count() > 0) edges_.delay_edge(edge.from, edge.to, edge.delay);
      if (edge.fails) edges_.fail_edge(edge.from, edge.to, nullptr);
    }
    rank_.program = &program;
    if (!options_.settings().run_directory.empty()) {
      rank_.make_run_directory = launching::run_directory_maker(program, options_);
    }
    rank_.edge_faults = &edges_;
    rank_.requests = &requests_;
    rank_.options = &options_;
    rank_.pool_threads = setup.pool_threads;
    rank_.cpus = setup.pool_threads;
    rank_.ranks_share_process = true;
    rank_.show_end = setup.show_end;
    rank_.suppress_run = [labels = setup.suppress_run](const std::string& label) {
      return std::any_of(labels.begin(), labels.end(), [&](const auto& each) { return each == "*" || each == label; });
    };
    if (!body) return;
    rank_.body = [this, &body] {
      try {
        body(running_);
      } catch (...) {
        body_error_ = std::current_exception();
      }
    };
  }

  void run() {
    {
      std::vector<seam::Thread> threads;
      for (std::uint32_t rank = 0; rank < outcomes_.size(); ++rank) {
        threads.emplace_back("rank" + std::to_string(rank), [this, rank] { run_rank_number(rank); });
      }
    }
    edges_.end();
  }

  Result result() const {
    Result result;
    for (const auto& outcome : outcomes_) {
      if (outcome.error) std::rethrow_exception(outcome.error);
      result.clean = result.clean && outcome.result.clean;
      result.status = std::max(result.status, outcome.result.status);
      if (result.failure.empty()) result.failure = outcome.result.failure;
    }
    return result;
  }

  void rethrow_body_error(const Result& result) const {
    if (!body_error_) return;
    try {
      std::rethrow_exception(body_error_);
    } catch (const Stopped&) {
      if (result.status == 0) throw;
    }
  }

 private:
  struct Outcome {
    RankResult result;
    std::exception_ptr error;
  };

  void run_rank_number(std::uint32_t rank) {
    RankSetup own = rank_;
    own.transport = transports_[rank].get();
    try {
      outcomes_[rank].result = run_rank(own);
    } catch (...) {
      outcomes_[rank].error = std::current_exception();
    }
  }

  const Options options_;
  LocalWorld world_;
  detail::EdgeRules edges_;
  ProcessRequests requests_;
  Running running_;
  std::vector<std::unique_ptr<Transport>> transports_;
  RankSetup rank_;
  std::exception_ptr body_error_;
  std::vector<Outcome> outcomes_;
};

std::optional<std::uint64_t> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (!text || !*text) return std::nullopt;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (*end) throw UsageError(fmt::format("{}={} is no number. Give one, as in {}=17", name, text, name));
  return value;
}

}  // namespace

void Running::delay(std::uint32_t from, std::uint32_t to, std::chrono::nanoseconds duration) {
  world_.delay(RankId(from), RankId(to), duration);
}

void Running::delay_edge(const std::string& from, const std::string& to, std::chrono::nanoseconds duration) {
  edges_.delay_edge(from, to, duration);
}

void Running::fail_edge(const std::string& from, const std::string& to, std::exception_ptr error) {
  edges_.fail_edge(from, to, std::move(error));
}

void Running::mend_edge(const std::string& from, const std::string& to) { edges_.mend_edge(from, to); }

void Running::give_notice() { requests_.notice.fetch_add(1, std::memory_order_relaxed); }

void Running::lose(std::uint32_t rank, const std::string& reason) { world_.lose(RankId(rank), reason); }

std::uint64_t Running::unobserved_errors() const {
  return slipway::detail::Endpoint::of_this_thread().unobserved_errors();
}

void Running::sleep_for(std::chrono::nanoseconds duration) const { seam::sleep_until(seam::after(duration)); }

Result run(Program& program, const Conditions& setup, const std::function<void(Running&)>& body) {
  if (!body && !setup.suppress_run.empty()) {
    throw UsageError("suppress_run without a body (nobody would ever end the program). Give run a body");
  }
  std::optional<SeededRun> seeded;
  if (setup.seed) seeded.emplace(*setup.seed);
  auto world = std::make_unique<World>(program, setup, body);
  world->run();
  if (!setup.seed) {
    const Result result = world->result();
    World& kept = result.clean ? *world : *world.release();  // threads left behind still use it
    kept.rethrow_body_error(result);
    return result;
  }
  Result result = world->result();
  result.trace = seeded->scheduler().trace();
  world->rethrow_body_error(result);
  world.reset();
  return result;
}

Result run(Program& program, const Conditions& setup) { return run(program, setup, nullptr); }

namespace detail {

std::vector<std::uint64_t> seeds(std::uint32_t count) {
  if (const auto seed = number_in_environment("SLIPWAY_TEST_SEED")) return {*seed};
  if (count == 0) {
    count = static_cast<std::uint32_t>(number_in_environment("SLIPWAY_TEST_SEEDS").value_or(default_seeds));
  }
  std::vector<std::uint64_t> all(count);
  std::iota(all.begin(), all.end(), std::uint64_t{1});
  return all;
}

void report_seed(std::uint64_t seed) {
  fmt::print(stderr, "slipway: seed {} failed; to repeat it alone, run the same command with SLIPWAY_TEST_SEED={}\n",
             seed, seed);
}

}  // namespace detail
}  // namespace slipway::testing
