// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

struct TaskSystemParts;

// What threads that must not wait have to tell other ranks: a thread of the pool does it for them. Any thread.
class Mail {
 public:
  explicit Mail(TaskSystemParts& parts) : parts_(parts) {}

  void give_weight_back(RankId owner, std::uint64_t id, std::uint64_t weight) {
    if (weight != 0) put({owner, id, weight});
  }
  void forget_cancelled(RankId there, std::uint64_t id) { put({there, id, 0}); }
  bool is_under_way() const { return under_way_.load(std::memory_order_acquire) != 0; }

 private:
  struct Letter {
    RankId to;
    std::uint64_t id;
    std::uint64_t weight;  // 0: it is to be forgotten
  };
  void put(const Letter& letter);
  void send_all();

  TaskSystemParts& parts_;
  seam::SpinLock lock_;  // guards letters_
  std::vector<Letter> letters_;
  std::atomic<std::uint64_t> under_way_{0};
};

}  // namespace slipway::detail
