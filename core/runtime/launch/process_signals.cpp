// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "process_signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace slipway::launching {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
constexpr int asks_before_the_end = 2;  // one to stop, one to stop now, then the process ends
constexpr int signal_status_base = 128;
std::array<struct sigaction, signals.size()> before;
std::array<bool, signals.size()> replaced{};

void on_signal(int signal) {
  ProcessRequests& requests = ProcessSignals::requests();
  if (signal == SIGUSR2) {
    requests.picture.fetch_add(1, std::memory_order_relaxed);
  } else if (signal == SIGUSR1) {
    requests.notice.fetch_add(1, std::memory_order_relaxed);
  } else if (requests.stop.fetch_add(1, std::memory_order_relaxed) >= asks_before_the_end) {
    _exit(signal_status_base + signal);
  }
}

}  // namespace

ProcessRequests& ProcessSignals::requests() {
  static ProcessRequests requests;
  return requests;
}

ProcessSignals::ProcessSignals() {
  requests().stop = 0;
  requests().picture = 0;
  requests().notice = 0;
  requests().dying = false;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before[i]);
    replaced[i] = before[i].sa_handler == SIG_DFL;
    if (!replaced[i]) continue;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signals[i], &action, nullptr);
  }
}

ProcessSignals::~ProcessSignals() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (replaced[i]) sigaction(signals[i], &before[i], nullptr);
  }
}

}  // namespace slipway::launching
