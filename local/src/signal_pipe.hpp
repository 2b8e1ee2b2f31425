// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <utility>
#include <vector>

#include "slipway/local/child_process.hpp"

namespace slipway::detail {

// Turns signals into bytes to read, for the time of its life; one at a time in a process. A signal that was ignored
// before (nohup, a shell's background) stays ignored.
class SignalPipe {
 public:
  explicit SignalPipe(const std::vector<int>& signals);
  SignalPipe(const SignalPipe&) = delete;
  SignalPipe& operator=(const SignalPipe&) = delete;
  ~SignalPipe();

  int descriptor() const { return pipe_.read.get(); }
  // The signals that came since the last call.
  std::vector<int> take();

 private:
  Pipe pipe_;
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace slipway::detail
