// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "signal_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace slipway::detail {

namespace {

std::atomic<int> write_end{-1};

void on_signal(int signal) {
  const int error_before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  // A full pipe has enough to say already.
  if (::write(write_end.load(std::memory_order_relaxed), &byte, 1) < 0) errno = error_before;
  errno = error_before;
}

void set_nonblocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

}  // namespace

SignalPipe::SignalPipe(const std::vector<int>& signals) : pipe_(make_pipe()) {
  set_nonblocking(pipe_.read.get());
  set_nonblocking(pipe_.write.get());
  write_end.store(pipe_.write.get());
  for (const int signal : signals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN && signal != SIGCHLD) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
    before_.emplace_back(signal, before);
  }
}

SignalPipe::~SignalPipe() {
  for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
  write_end.store(-1);
}

std::vector<int> SignalPipe::take() {
  std::vector<int> signals;
  std::array<unsigned char, 64> bytes{};
  for (ssize_t size; (size = ::read(pipe_.read.get(), bytes.data(), bytes.size())) > 0;) {
    signals.insert(signals.end(), bytes.begin(), bytes.begin() + size);
  }
  return signals;
}

}  // namespace slipway::detail
