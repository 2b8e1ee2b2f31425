// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "mail.hpp"

#include <mutex>
#include <utility>

#include "slipway/rpc/runnable.hpp"
#include "system_message.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

void Mail::put(const Letter& letter) {
  if (parts_.over.load(std::memory_order_acquire)) return;
  under_way_.fetch_add(1, std::memory_order_relaxed);
  bool first = false;
  {
    const std::lock_guard guard(lock_);
    first = letters_.empty();
    letters_.push_back(letter);
  }
  if (first) parts_.endpoint().run_beside(new Job([this] { send_all(); }));
}

void Mail::send_all() {
  lock_.lock();
  const auto all = std::exchange(letters_, {});
  lock_.unlock();
  for (const Letter& each : all) {
    if (each.weight != 0) {
      tell<&TaskNode::give_back>(parts_.endpoint(), parts_.tasks_node(each.to), each.id, each.weight);
    } else {
      parts_.tell_desk<&TaskNode::forget_cancelled>(each.to, each.id);
    }
  }
  under_way_.fetch_sub(all.size(), std::memory_order_release);
}

}  // namespace slipway::detail
