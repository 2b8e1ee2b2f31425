// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/hdf5_lock.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

#include "slipway/base/seam.hpp"

namespace slipway {

namespace {

// A mutex of the seam's: a std::mutex would block outside it, and hold a seeded run up.
constexpr std::uint32_t free_now = 0;
constexpr std::uint32_t held = 1;
constexpr std::uint32_t wanted = 2;  // held, and others may sleep

seam::Word word{free_now};
std::atomic<std::thread::id> owner;
std::uint32_t depth = 0;  // the owner's

}  // namespace

Hdf5Lock::Hdf5Lock() {
  const std::thread::id me = std::this_thread::get_id();
  if (owner.load(std::memory_order_relaxed) == me) {
    ++depth;
    return;
  }
  std::uint32_t expected = free_now;
  if (!word.compare_exchange_strong(expected, held, std::memory_order_acquire)) {
    while (word.exchange(wanted, std::memory_order_acquire) != free_now) seam::wait(word, wanted);
  }
  owner.store(me, std::memory_order_relaxed);
  depth = 1;
}

Hdf5Lock::~Hdf5Lock() {
  if (--depth > 0) return;
  owner.store({}, std::memory_order_relaxed);
  if (word.exchange(free_now, std::memory_order_release) == wanted) seam::wake(word);
}

}  // namespace slipway
