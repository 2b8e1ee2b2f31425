// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "modes.hpp"
#include "slipway/base/error.hpp"
#include "slipway/graph/placement.hpp"
#include "slipway/graph/validate.hpp"
#include "slipway/local/mpirun_launcher.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/runtime/affinity.hpp"
#include "slipway/runtime/earlier_attempt.hpp"
#include "slipway/runtime/launched_by.hpp"
#include "slipway/runtime/replay.hpp"
#include "slipway/runtime/versions.hpp"
#include "start_of_main.hpp"
#if SLIPWAY_WITH_MPI
#include "slipway/mpi/library.hpp"
#endif

namespace slipway {

namespace launching {

void say(const std::string& text) { fmt::print(stderr, "slipway: {}\n", text); }

int usage_failure(const std::exception& error) {
  say(std::string("error: ") + error.what());
  return static_cast<int>(ExitStatus::usage);
}

void leave_at_once(int status) {
  std::fflush(nullptr);
  _exit(status);
}

std::uint32_t ranks_wanted(const Program& program, const Options& options) {
  if (options.settings().ranks > 0) return options.settings().ranks;
  return static_cast<std::uint32_t>(wanted_ranks(program.graph(), usable_cores()));
}

namespace {

RunDirectory open_run_directory(const Program& program, const Settings& settings) {
  if (!settings.run_directory.empty()) return RunDirectory::at(settings.run_directory);
  return RunDirectory::create(settings.run_base, settings.name.empty() ? program.name() : settings.name);
}

// What --slipway-version shows.
void print_versions() {
  auto versions = core_versions();
#if SLIPWAY_WITH_MPI
  versions.push_back({"MPI", mpi_library()});
#else
  versions.push_back({"MPI", "none"});
#endif
  for (const auto& [what, version] : versions) fmt::print("{:<12} {}\n", what, version);
}

}  // namespace

std::function<RunDirectory()> run_directory_maker(const Program& program, const Options& options) {
  const Settings& settings = options.settings();
  if (settings.plan != PlanRequest::none) return nullptr;
  return [&program, &settings] {
    RunDirectory directory = open_run_directory(program, settings);
    if (settings.attempt > 1) require_same_run(directory, program.graph());
    directory.claim(settings.attempt);
    return directory;
  };
}

namespace {

// Why there will be no mpirun; empty when there will be.
std::string reason_for_local(const Options& options, const MpirunRequest& request) {
  if (options.settings().launcher == LauncherChoice::local) return "asked for";
#if SLIPWAY_WITH_MPI
  const auto mpirun = find_mpirun(request.mpirun);
  if (!mpirun) return "no mpirun was found";
  const std::string refusal = mpirun_refusal(*mpirun, request);
  if (options.settings().launcher == LauncherChoice::mpi && !refusal.empty()) throw UsageError(refusal);
  return refusal;
#else
  static_cast<void>(request);
  if (options.settings().launcher == LauncherChoice::mpi) {
    throw UsageError("slipway was built without MPI (--slipway-launcher=mpi needs it). Use --slipway-launcher=local");
  }
  return "slipway was built without MPI";
#endif
}

int start_ranks(Program& program, const Options& options) {
  validate(program.graph());
  MpirunRequest request{.command = options.command_line(),
                        .ranks = ranks_wanted(program, options),
                        .mpirun = options.settings().mpirun,
                        .mpirun_args = options.settings().mpirun_args,
                        .quiet = options.settings().quiet,
                        .stop_limit = options.settings().stop_limit};
  // A plan needs no ranks to be started: they are all on this machine.
  const std::string why_local =
      options.settings().plan != PlanRequest::none ? "a plan" : reason_for_local(options, request);
  if (!why_local.empty()) {
    const bool surprise = options.settings().launcher != LauncherChoice::local &&
                          options.settings().plan == PlanRequest::none && !options.settings().quiet;
    if (surprise) say("all ranks run in this process: " + why_local);
    return launching::run_locally(program, options);
  }
  const RunDirectory directory = open_run_directory(program, options.settings());
  if (options.settings().attempt > 1) require_same_run(directory, program.graph());
  directory.require_free(options.settings().attempt);
  request.run_directory = directory.path();
  std::exit(run_under_mpirun(request));
}

}  // namespace
}  // namespace launching

int launch(Program& program, const Options& options) {
  launching::main_has_reached_launch();
  if (options.help_requested()) {
    fmt::print("{}", Options::help());
    return static_cast<int>(ExitStatus::good);
  }
  if (options.version_requested()) {
    launching::print_versions();
    return static_cast<int>(ExitStatus::good);
  }
  try {
    static_cast<void>(waits_to_repeat(options.settings(), 0));
    if (!options.settings().plan_on.empty()) return launching::print_plan_on(program, options);
#if SLIPWAY_WITH_MPI
    if (launched_by() && options.settings().launcher != LauncherChoice::local) {
      return launching::run_as_mpi_rank(program, options);
    }
#endif
    return launching::start_ranks(program, options);
  } catch (const std::exception& error) {
    return launching::usage_failure(error);
  }
}

int launch(Program& program, int& argc, char** argv) {
  launching::main_has_reached_launch();
  std::optional<Options> options;
  try {
    options.emplace(argc, argv);
  } catch (const UsageError& error) {
    return launching::usage_failure(error);
  }
  return launch(program, *options);
}

}  // namespace slipway
