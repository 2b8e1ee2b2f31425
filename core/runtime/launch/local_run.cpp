// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "modes.hpp"
#include "process_signals.hpp"
#include "slipway/base/error.hpp"
#include "slipway/local/local_transport.hpp"
#include "slipway/observe/last_words.hpp"
#include "slipway/runtime/affinity.hpp"
#include "slipway/runtime/rank_runtime.hpp"

namespace slipway::launching {

namespace {

struct RankOutcome {
  RankResult result;
  std::exception_ptr error;
};

// Gives the controller, a thread of this same process, a moment to record the last words of another. What the dying
// thread holds may keep the controller from it. Async-signal-safe.
void wait_for_record(int, const char*) {
  auto& dying = ProcessSignals::requests().dying;
  dying.store(true, std::memory_order_release);
  constexpr timespec moment{0, 10'000'000};
  constexpr int moments = 200;
  for (int i = 0; i < moments && dying.load(std::memory_order_acquire); ++i) ::nanosleep(&moment, nullptr);
}

RankOutcome run_one(const RankSetup& setup) {
  try {
    return {run_rank(setup), nullptr};
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

}  // namespace

int run_locally(Program& program, const Options& options) {
  const std::uint32_t ranks = ranks_wanted(program, options);
  const std::uint32_t cores = usable_cores();
  const ProcessSignals signals;
  last_words::install(wait_for_record);
  LocalWorldOptions world_options;
  if (options.settings().fake_hosts > 0) world_options.fake_hosts = options.settings().fake_hosts;
  LocalWorld world(ranks, world_options);
  std::vector<std::unique_ptr<Transport>> transports;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) transports.push_back(world.transport(RankId(rank)));
  RankSetup setup;
  setup.program = &program;
  setup.options = &options;
  setup.requests = &ProcessSignals::requests();
  setup.cpus = static_cast<double>(cores) / ranks;
  setup.pool_threads = options.settings().cpus ? options.settings().cpus : std::max(1U, cores / ranks);
  setup.cores = format_cores(allowed_cores());
  setup.make_run_directory = run_directory_maker(program, options);
  setup.ranks_share_process = true;
  std::vector<RankOutcome> outcomes(ranks);
  last_words::set_run_in_progress(true);
  {
    std::vector<seam::Thread> threads;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back("rank" + std::to_string(rank), [&, rank] {
        RankSetup own = setup;
        own.transport = transports[rank].get();
        outcomes[rank] = run_one(own);
      });
    }
  }
  last_words::set_run_in_progress(false);
  bool clean = true;
  int status = 0;
  for (const auto& outcome : outcomes) {
    if (outcome.error) std::rethrow_exception(outcome.error);
    clean = clean && outcome.result.clean;
    status = std::max(status, outcome.result.status);
  }
  if (!clean) leave_at_once(status);
  return status;
}

}  // namespace slipway::launching
