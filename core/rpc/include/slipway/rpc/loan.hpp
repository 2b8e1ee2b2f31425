// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "slipway/base/ids.hpp"
#include "slipway/rpc/call_state.hpp"

namespace slipway::detail {

// Memory of a caller that a transport may read while the caller waits for the call. However the wait ends (an outcome,
// Deadlock, Stopped), the end of this scope waits until the transport has let go. After the loss of a rank that may
// last until the process ends: MPI may keep a message to a dead peer for ever.
class Loan {
 public:
  Loan(Endpoint& endpoint, NodeId node) : endpoint_(endpoint), node_(node) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    if (returned_ && !returned_->done()) await_return();
  }

  // What the transport holds while it reads.
  std::shared_ptr<void> lend();

 private:
  void await_return();

  Endpoint& endpoint_;
  const NodeId node_;
  StateRef<> returned_;
};

}  // namespace slipway::detail
