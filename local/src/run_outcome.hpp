// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"

namespace slipway::detail {

struct RunOutcome {
  ExitStatus status = ExitStatus::good;
  std::string message;  // what nobody has said yet; empty when the run itself told how it ended
};

// The status of a run whose mpirun has ended with `wait_status` (of waitpid): what status.json says. A run that did not
// get to say it is judged by its last words and by mpirun, and the judgement is written into status.json.
RunOutcome conclude(const RunDirectory& directory, int wait_status, bool rank_was_lost, const std::string& end_reason);

}  // namespace slipway::detail
