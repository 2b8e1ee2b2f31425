// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "modes.hpp"

#if SLIPWAY_WITH_MPI

#include <algorithm>
#include <exception>
#include <memory>

#include "process_signals.hpp"
#include "rest_of_main.hpp"
#include "slipway/base/error.hpp"
#include "slipway/mpi/mpi_transport.hpp"
#include "slipway/observe/last_words.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/runtime/affinity.hpp"
#include "slipway/runtime/launched_by.hpp"
#include "slipway/runtime/rank_runtime.hpp"

namespace slipway::launching {

namespace {

// Where a dying process says so to its peers. One a process: MPI is.
Transport* dying_transport = nullptr;

void announce(int status, const char* text) {
  if (dying_transport) dying_transport->announce_death(status, text);
}

std::uint32_t ranks_on_this_host(const Transport& transport) {
  const auto& hosts = transport.host_of_rank();
  const HostId own = hosts[transport.rank().index()];
  return static_cast<std::uint32_t>(std::count(hosts.begin(), hosts.end(), own));
}

RankSetup setup_of(Program& program, const Options& options, const LaunchedBy& launcher, Transport& transport) {
  const std::uint32_t neighbours = std::max(1U, ranks_on_this_host(transport));
  const std::uint32_t cores = usable_cores();
  RankSetup setup;
  setup.program = &program;
  setup.transport = &transport;
  setup.options = &options;
  setup.requests = &ProcessSignals::requests();
  setup.cpus = static_cast<double>(cores) / neighbours;
  setup.pool_threads = options.settings().cpus ? options.settings().cpus : std::max(1U, cores / neighbours);
  setup.cores = format_cores(allowed_cores());
  if (launcher.by_slipway) setup.abandoned = [watch = LauncherWatch()] { return watch.gone(); };
  setup.make_run_directory = run_directory_maker(program, options);
  return setup;
}

// For the launcher, which gets no statuses of ranks from an mpirun that lets the others live on.
void record_refusal(const Program& program, const Options& options, const std::exception& error) {
  if (!launched_by().by_slipway || options.settings().run_directory.empty()) return;
  StatusFile status(RunDirectory::at(options.settings().run_directory),
                    {.program = program.name(), .ranks = launched_by().size.value_or(0)});
  status.set_failure({.status = ExitStatus::usage, .text = error.what()});
  status.end(ExitStatus::usage);
}

// This rank cannot start; what the others know of it they know by now.
[[noreturn]] void leave_without_start(const Program& program, const Options& options, std::uint32_t rank,
                                      const std::exception& error) {
  last_words::set_run_in_progress(false);
  (void)usage_failure(error);
  if (rank == 0) record_refusal(program, options, error);
  leave_at_once(static_cast<int>(ExitStatus::usage));
}

}  // namespace

int run_as_mpi_rank(Program& program, const Options& options) {
  const Settings& settings = options.settings();
  const LaunchedBy launcher = launched_by();
  last_words::install(announce);
  const Widening widening = widen_affinity(launcher, std::max(1U, settings.cpus));
  MpiEnvironment environment;
  if (!widening.advice.empty() && environment.rank() == 0 && !settings.quiet) say(widening.advice);
  const ProcessSignals signals;
  MpiOptions mpi_options;
  mpi_options.fake_hosts = settings.fake_hosts;
  mpi_options.start_limit = settings.start_limit;
  mpi_options.close_limit = settings.stop_limit;
  mpi_options.detection_limit = settings.detection_limit;
  std::unique_ptr<Transport> transport;
  RankResult result;
  try {
    transport = make_mpi_transport(mpi_options);
    if (settings.show_binding) {
      say(describe_binding(environment.rank(), environment.size(),
                           transport->host_names()[transport->host_of_rank()[environment.rank()].index()]));
    }
    dying_transport = transport.get();
    last_words::set_run_in_progress(true);
    result = run_rank(setup_of(program, options, launcher, *transport));
  } catch (const UsageError& error) {
    if (!transport) leave_without_start(program, options, environment.rank(), error);
    // All ranks got it, and none has started.
    last_words::set_run_in_progress(false);
    if (environment.rank() == 0) {
      (void)usage_failure(error);
      record_refusal(program, options, error);
    }
    dying_transport = nullptr;
    transport->close();
    return static_cast<int>(ExitStatus::usage);
  } catch (const std::exception& error) {
    leave_without_start(program, options, environment.rank(), error);
  }
  last_words::set_run_in_progress(false);
  if (!result.clean || !MpiEnvironment::healthy()) leave_at_once(result.status);
  dying_transport = nullptr;
  if (launcher.by_slipway) watch_rest_of_main(settings.run_directory, environment.rank());
  return result.status;
}

}  // namespace slipway::launching

#endif
