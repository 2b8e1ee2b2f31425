// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/rpc/endpoint.hpp"

// How a test makes one edge of the graph slow or broken. See slipway/testing.hpp.
namespace slipway::detail {

// A call that waits for its time. Dropped instead of sent, its outcome is Stopped.
class DelayedSend {
 public:
  virtual ~DelayedSend() = default;
  // Once; disposes of itself.
  virtual void send() = 0;
};

struct EdgeFault {
  bool delayed = false;
  std::exception_ptr error;  // what calls end with instead of reaching the node; posts are lost
};

// All methods: any thread.
class EdgeFaults {
 public:
  virtual ~EdgeFaults() = default;
  virtual bool active() const = 0;
  // For a call that is made now. `from`: none for code of no node.
  virtual EdgeFault on_call(NodeId from, NodeId to) = 0;
  // Takes the call and sends it when the edge lets it pass, after all earlier ones of the edge.
  virtual void delay(Endpoint& endpoint, NodeId from, NodeId to, std::unique_ptr<DelayedSend> call) = 0;
  virtual bool holds_calls_of(const Endpoint& endpoint) = 0;
  // From here on none is sent for this endpoint, which may go.
  virtual void drop_calls_of(const Endpoint& endpoint) = 0;
};

inline EdgeFaults* active_faults(const Endpoint& endpoint) {
  EdgeFaults* const faults = endpoint.settings().edge_faults;
  return faults && faults->active() ? faults : nullptr;
}

}  // namespace slipway::detail
