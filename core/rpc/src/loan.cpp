// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/loan.hpp"

#include <fmt/format.h>

#include <utility>

#include "endpoint_parts.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time worth_a_record = 50'000'000;

class Borrower {
 public:
  explicit Borrower(StateRef<> returned) : returned_(std::move(returned)) {}
  Borrower(const Borrower&) = delete;
  Borrower& operator=(const Borrower&) = delete;
  ~Borrower() {
    if (returned_->claim()) returned_->finish();
  }

 private:
  StateRef<> returned_;
};

}  // namespace

std::shared_ptr<void> Loan::lend() {
  returned_ = StateRef<>(new ResultState<void>);
  return std::make_shared<Borrower>(StateRef<>::share(returned_.get()));
}

// Neither a time limit nor the program's end cuts this short, so it is none of Endpoint's waits.
void Loan::await_return() {
  EndpointParts& parts = endpoint_.parts();
  Waiter waiter;
  if (parts.progress.wait(*returned_, waiter, seam::now() + worth_a_record)) return;
  const bool counted = Pool::on_pool_thread() && parts.pool.begin_blocking();
  Wait wait;
  wait.who = fmt::format("a caller on rank {}", endpoint_.rank().value());
  wait.what = fmt::format("the transport to have read the arguments of a call to node '{}' (rank {})",
                          endpoint_.label_of(node_), endpoint_.rank_of(node_).value());
  wait.node = node_;
  wait.limited = true;  // no other wait can hold it up
  wait.since = seam::now();
  const std::uint64_t key = parts.waits.add(std::move(wait));
  parts.progress.wait(*returned_, waiter, seam::never);
  parts.waits.remove(key);
  if (counted) parts.pool.end_blocking();
}

}  // namespace slipway::detail
