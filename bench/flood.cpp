// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>

#include "measure.hpp"
#include "pair.hpp"

// A million posts and a million calls of 1 KiB, as fast as they can be made, to a service that takes 2 us for each: how
// much memory do both ranks need on top, at the worst moment? Fails if one is lost, doubled or out of order.
// Flag: --effort PERCENT.
namespace {

using bench::Clock;

struct Message {
  std::uint64_t number = 0;
  std::array<char, 1016> rest{};
};

// A line of /proc/self/status, such as "VmHWM:    1234 kB".
double status_mib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kib = 0;
    if (word == name + ":" && status >> kib) return kib / 1024;
  }
  throw std::runtime_error("/proc/self/status has no " + name);
}

class Memory {
 public:
  double growth_mib() const { return status_mib("VmHWM") - before_mib_; }

 private:
  double before_mib_ = status_mib("VmRSS");
};

class Slow {
 public:
  void take(const Message& message) {
    if (message.number != expected_) {
      throw std::runtime_error("message " + std::to_string(message.number) + " came, not " + std::to_string(expected_));
    }
    ++expected_;
    const auto end = Clock::now() + std::chrono::microseconds(2);
    while (Clock::now() < end) {
    }
  }
  std::uint64_t taken() { return expected_; }
  void begin() { memory_ = Memory(); }
  double growth_mib() { return memory_.growth_mib(); }

 private:
  std::uint64_t expected_ = 0;
  Memory memory_;
};

struct Flooder {
  slipway::Handle<Slow> slow;
  bench::Effort effort;

  void run() {
    slow.get<&Slow::begin>();
    const Memory memory;
    const auto count = static_cast<std::uint64_t>(effort.of(1'000'000));
    Message message;
    for (std::uint64_t i = 0; i < count; ++i, ++message.number) slow.post<&Slow::take>(message);
    for (std::uint64_t i = 0; i < count; ++i, ++message.number) static_cast<void>(slow.call<&Slow::take>(message));
    const std::uint64_t taken = slow.get<&Slow::taken>();  // in order behind all of them
    if (taken != 2 * count) {
      throw std::runtime_error("of " + std::to_string(2 * count) + " messages " + std::to_string(taken) + " ran");
    }
    bench::print_figure("caller_growth_mib", memory.growth_mib());
    bench::print_figure("service_growth_mib", slow.get<&Slow::growth_mib>());
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::run_pair<Slow, Flooder>("bench_flood", argc, argv); }
