// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "node_host.hpp"
#include "slipway/base/error.hpp"
#include "slipway/rpc/waiter.hpp"

namespace slipway::detail {

namespace {

// Gets a place on the strand for a thread outside the pool, in its turn.
class ExclusiveGrant final : public Entry {
 public:
  Step run(NodeSlot&) override {
    granted_.store(true, std::memory_order_release);
    waiter.wake();
    let_go_.store(true, std::memory_order_release);
    return Step::lent;
  }
  void drop(const char*) override {
    dropped_.store(true, std::memory_order_release);
    waiter.wake();
    let_go_.store(true, std::memory_order_release);
  }
  bool holds(RankId, std::uint64_t) const override { return false; }
  bool answered() const { return granted_.load(std::memory_order_acquire) || dropped_.load(std::memory_order_acquire); }
  bool dropped() const { return dropped_.load(std::memory_order_acquire); }
  // The waiter may see the answer before who gives it has woken it, and must not go away under its hands.
  void wait_until_let_go() const {
    while (!let_go_.load(std::memory_order_acquire)) seam::pause();
  }

  Waiter waiter;

 private:
  std::atomic<bool> granted_{false};
  std::atomic<bool> dropped_{false};
  std::atomic<bool> let_go_{false};
};

using Grants = std::vector<std::unique_ptr<ExclusiveGrant>>;

void give_back(NodeSlot& slot, const Grants& grants) {
  for (const auto& grant : grants) {
    if (slot.mailbox.remove(grant.get())) continue;
    grant->wait_until_let_go();
    if (!grant->dropped()) slot.strand_returned();
  }
}

}  // namespace

// As many as handlers may run at once, asked for in one go: two threads that each had some would wait for ever.
void NodeHost::take_all_places() {
  Grants grants;
  for (std::uint32_t place = 0; place < slot_->mailbox.limit(); ++place) {
    grants.push_back(std::make_unique<ExclusiveGrant>());
  }
  {
    const std::lock_guard guard(exclusive_lock_);
    for (const auto& grant : grants) slot_->admit(grant.get());
  }
  try {
    for (const auto& grant : grants) {
      shared_.endpoint->wait_for_condition("its turn on", slot_->id, seam::never, grant->waiter,
                                           [&grant] { return grant->answered(); });
      grant->wait_until_let_go();
      if (grant->dropped()) throw Stopped("the program ends");
    }
  } catch (...) {
    give_back(*slot_, grants);
    throw;
  }
}

}  // namespace slipway::detail
