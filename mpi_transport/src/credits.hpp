// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

// The receiver's book of credits; only used with the turn. Every peer starts with the same small number; a peer that
// has more to send borrows from what is left of the limit, and gives it back when it falls silent. The sum over all
// peers bounds the messages that MPI must keep for a rank that does not poll.
namespace slipway::detail {

inline constexpr std::uint32_t most_credits = 32;  // a peer; more gains nothing on any link measured

// What every peer of every rank starts with: half of the limit is kept for loans.
inline std::uint32_t initial_credits(std::uint32_t ranks, std::uint32_t limit) {
  const std::uint32_t peers = std::max(ranks, 2u) - 1;
  return std::clamp(limit / 2 / peers, 1u, most_credits);
}

class CreditBook {
 public:
  CreditBook(std::uint32_t ranks, std::uint32_t limit)
      : accounts_(ranks), initial_(initial_credits(ranks, limit)), left_(limit) {
    const std::uint32_t granted = initial_ * (std::max(ranks, 2u) - 1);
    left_ -= std::min(left_, granted);
    for (auto& account : accounts_) account.granted = initial_;
    due_.reserve(ranks);
  }

  // A batch of requests came.
  void received(std::uint32_t from, bool wants_more) {
    Account& account = accounts_[from];
    ++account.owed;
    if (wants_more && left_ > 0 && account.granted < most_credits) lend(account);
    if (!account.listed && account.owed * 2 >= account.granted) {
      account.listed = true;
      due_.push_back(from);
    }
  }

  void given_back(std::uint32_t from, std::uint32_t loans) {
    Account& account = accounts_[from];
    loans = std::min(loans, account.granted - initial_);
    account.granted -= loans;
    left_ += loans;
  }

  // What the next message to the peer carries: credits, and how many of them are loans.
  std::pair<std::uint16_t, std::uint16_t> take(std::uint32_t to) {
    Account& account = accounts_[to];
    const auto credits = static_cast<std::uint16_t>(account.owed);
    const auto loans = static_cast<std::uint16_t>(account.lent);
    account.owed = account.lent = 0;
    return {credits, loans};
  }

  // Calls `send(rank)` for each peer that is owed half of its credits or more.
  template <class Send>
  void settle(Send&& send) {
    if (due_.empty()) return;
    for (const std::uint32_t rank : due_) {
      accounts_[rank].listed = false;
      if (accounts_[rank].owed > 0) send(rank);
    }
    due_.clear();
  }

 private:
  struct Account {
    std::uint32_t granted = 0;
    std::uint32_t owed = 0;
    std::uint32_t lent = 0;  // part of `owed`
    bool listed = false;
  };

  void lend(Account& account) {
    const std::uint32_t loan = std::min({account.granted, left_, most_credits - account.granted});
    account.granted += loan;
    account.owed += loan;
    account.lent += loan;
    left_ -= loan;
  }

  std::vector<Account> accounts_;
  std::vector<std::uint32_t> due_;
  std::uint32_t initial_;
  std::uint32_t left_;
};

}  // namespace slipway::detail
