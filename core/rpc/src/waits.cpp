// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "waits.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

namespace slipway::detail {

std::uint64_t WaitRegistry::add(Wait wait) {
  const std::lock_guard guard(lock_);
  const std::uint64_t key = next_key_++;
  wait.key = key;
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

void WaitRegistry::mark_deadlocked(std::uint64_t key, const std::string& cycle) {
  const std::lock_guard guard(lock_);
  const auto found = waits_.find(key);
  if (found == waits_.end()) return;
  found->second.cycle = cycle;
  found->second.deadlocked->store(true, std::memory_order_release);
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
