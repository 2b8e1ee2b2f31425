// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slipway/base/error.hpp"
#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/rpc/call_state.hpp"

namespace slipway::detail {

// One wait that has lasted long enough to be worth a record.
struct Wait {
  std::uint64_t key = 0;
  std::string who;         // "handler Learner::step on node 'learner'"
  std::string what;        // "call Actor::act on node 'actor/3' (rank 2)"
  NodeId node;             // what it waits for: a call to this node ...
  std::uint64_t call_id = 0;       // ... by this number in the rank's call table; 0: a call inside the rank
  const void* local_state = nullptr;  // its state, then
  bool limited = false;    // ends by itself
  bool in_handler = true;
  seam::Time since = 0;
  bool stall_reported = false;
  std::shared_ptr<std::atomic<bool>> deadlocked = std::make_shared<std::atomic<bool>>(false);
  std::string cycle;       // set before deadlocked
  CallState* suspended = nullptr;  // a coroutine's wait: the call that it is suspended on, alive as long as this record
  seam::Time next_probe = seam::never;  // of a coroutine; threads probe for themselves
};

// The error of a wait that closes a cycle.
Deadlock deadlock_error(const std::string& cycle);

// All long waits of a rank: what stall reports print and deadlock probes follow. Any thread.
class WaitRegistry {
 public:
  std::uint64_t add(Wait wait);
  void remove(std::uint64_t key);
  std::optional<Wait> find(std::uint64_t key) const;
  // The wait closes a cycle of waits: its thread is to end it with this text. Or, where a coroutine waits without one,
  // whoever asks: by failing the call that is returned.
  StateRef<> mark_deadlocked(std::uint64_t key, const std::string& cycle);
  // Waits of coroutines whose next probe is due; the one after it is due a second later.
  std::vector<std::uint64_t> take_due_probes(seam::Time now);
  seam::Time next_probe() const { return next_probe_.load(std::memory_order_relaxed); }
  std::string cycle_of(std::uint64_t key) const;
  // One line for each wait that began before; `only_new`: that were not reported yet, which they now are.
  std::string describe(seam::Time began_before, bool only_new);
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  mutable seam::SpinLock lock_;  // guards waits_ and next_key_
  std::map<std::uint64_t, Wait> waits_;
  std::uint64_t next_key_ = 1;
  std::atomic<std::size_t> count_{0};
  std::atomic<seam::Time> next_probe_{seam::never};  // the earliest of all, or earlier
};

}  // namespace slipway::detail
