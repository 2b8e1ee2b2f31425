// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/runtime/options.hpp"
#include "slipway/runtime/program.hpp"

namespace slipway {

// Runs the program and returns its exit status (contract 9), once a process. In a process that is no rank yet it starts
// the ranks by mpirun, and then exits with the program's status instead of returning; as a rank, or with
// --slipway-launcher=local, it returns. Mistakes in program, plan and options are printed, and give status 2.
int launch(Program& program, const Options& options);
// Takes the `--slipway-…` options out of argv first.
int launch(Program& program, int& argc, char** argv);

}  // namespace slipway
