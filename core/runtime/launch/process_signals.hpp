// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/runtime/rank_runtime.hpp"

namespace slipway::launching {

// What signals ask of the ranks of this process, for as long as one lives: SIGINT and SIGTERM stop (a second one at
// once, a third one ends the process with 130 or 143), SIGUSR1 gives notice that the end is near, SIGUSR2 shows who waits
// for whom. Handlers that the user set stay.
class ProcessSignals {
 public:
  ProcessSignals();
  ~ProcessSignals();
  ProcessSignals(const ProcessSignals&) = delete;
  ProcessSignals& operator=(const ProcessSignals&) = delete;

  static ProcessRequests& requests();
};

}  // namespace slipway::launching
