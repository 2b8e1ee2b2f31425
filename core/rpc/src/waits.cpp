// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace slipway::detail {

Deadlock deadlock_error(const std::string& cycle) {
  return Deadlock("this wait closes a cycle of waits that none can leave: " + cycle +
                  ". Let one of them not wait (a future with then, a coroutine on an interleaved node), or give it a "
                  "time limit");
}

std::uint64_t WaitRegistry::add(Wait wait) {
  const std::lock_guard guard(lock_);
  const std::uint64_t key = next_key_++;
  wait.key = key;
  next_probe_.store(std::min(next_probe(), wait.next_probe), std::memory_order_relaxed);
  waits_.emplace(key, std::move(wait));
  count_.store(waits_.size(), std::memory_order_relaxed);
  return key;
}

void WaitRegistry::remove(std::uint64_t key) {
  const std::lock_guard guard(lock_);
  waits_.erase(key);
  count_.store(waits_.size(), std::memory_order_relaxed);
}

std::optional<Wait> WaitRegistry::find(std::uint64_t key) const {
  const std::lock_guard guard(lock_);
  const auto found = waits_.find(key);
  return found == waits_.end() ? std::nullopt : std::optional(found->second);
}

StateRef<> WaitRegistry::mark_deadlocked(std::uint64_t key, const std::string& cycle) {
  const std::lock_guard guard(lock_);
  const auto found = waits_.find(key);
  if (found == waits_.end()) return {};
  Wait& wait = found->second;
  wait.cycle = cycle;
  wait.deadlocked->store(true, std::memory_order_release);
  return wait.suspended ? StateRef<>::share(wait.suspended) : StateRef<>();
}

std::vector<std::uint64_t> WaitRegistry::take_due_probes(seam::Time now) {
  constexpr seam::Time probe_again = 1'000'000'000;
  std::vector<std::uint64_t> due;
  seam::Time earliest = seam::never;
  const std::lock_guard guard(lock_);
  for (auto& [key, wait] : waits_) {
    if (wait.next_probe <= now) {
      due.push_back(key);
      wait.next_probe = now + probe_again;
    }
    earliest = std::min(earliest, wait.next_probe);
  }
  next_probe_.store(earliest, std::memory_order_relaxed);
  return due;
}

std::string WaitRegistry::cycle_of(std::uint64_t key) const {
  const std::lock_guard guard(lock_);
  const auto found = waits_.find(key);
  return found == waits_.end() ? std::string() : found->second.cycle;
}

std::string WaitRegistry::describe(seam::Time began_before, bool only_new) {
  const seam::Time now = seam::now();
  std::string text;
  const std::lock_guard guard(lock_);
  for (auto& [key, wait] : waits_) {
    if (wait.since > began_before || (only_new && wait.stall_reported)) continue;
    wait.stall_reported = wait.stall_reported || only_new;
    text += fmt::format("{} waits for {} since {:.1f} s{}\n", wait.who, wait.what,
                        static_cast<double>(now - wait.since) * 1e-9, wait.limited ? " (with a time limit)" : "");
  }
  return text;
}

}  // namespace slipway::detail
