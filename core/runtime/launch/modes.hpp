// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "slipway/observe/run_directory.hpp"
#include "slipway/runtime/options.hpp"
#include "slipway/runtime/program.hpp"

// The ways in which launch() runs a program. Each returns the exit status.
namespace slipway::launching {

// All ranks as threads of this process.
int run_locally(Program& program, const Options& options);

// Prints the plan for the hosts of --slipway-plan-on, without any rank. With --slipway-quiet it only tells whether
// there is a place for the graph, which takes less time where there are many ranks.
int print_plan_on(const Program& program, const Options& options);

// This process is one rank of an MPI job.
int run_as_mpi_rank(Program& program, const Options& options);

// Ranks by default: as many as the plan can use and cores can carry.
std::uint32_t ranks_wanted(const Program& program, const Options& options);

// The run's directory, made or named by the options; none for plans.
std::function<RunDirectory()> run_directory_maker(const Program& program, const Options& options);

// Flushes and leaves without destructors: user code still runs on other threads.
[[noreturn]] void leave_at_once(int status);

void say(const std::string& text);
int usage_failure(const std::exception& error);

}  // namespace slipway::launching
