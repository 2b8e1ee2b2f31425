// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "endpoint_parts.hpp"
#include "slipway/rpc/handle.hpp"

namespace slipway::detail {

CallSetup make_setup(NodeId node, const MethodEntry& method, const CallOptions& options) {
  const Endpoint& endpoint = Endpoint::of_this_thread();
  if (node.index() >= endpoint.node_count()) {
    throw UsageError(
        fmt::format("{} was called through a handle that names no node of this program (a default one, or "
                    "one of another program). Use handles that Program gave",
                    method.name));
  }
  CallSetup setup{.node = node, .method = &method, .priority = options.priority};
  if (options.timeout.count() > 0) setup.deadline = seam::after(options.timeout);
  if (current.activity) setup.deadline = std::min(setup.deadline, current.activity->deadline);
  return setup;
}

void check_retries(const MethodEntry& method, const CallOptions& options) {
  if (options.retries == 0 || method.idempotent) return;
  throw UsageError(
      fmt::format("{} was called with retries, but is not declared idempotent (a second run might do harm). "
                  "Declare it: template <> inline constexpr bool slipway::idempotent<&{}> = true;",
                  method.name, method.name));
}

void flush_calls() { Endpoint::of_this_thread().flush(); }

void check_scatter(std::size_t arguments, std::size_t members) {
  if (arguments == members) return;
  throw UsageError(
      fmt::format("scatter got {} arguments for {} members (each member takes one). Give as many as "
                  "Group::size()",
                  arguments, members));
}

std::size_t least_loaded_of(const std::vector<NodeId>& nodes) {
  if (nodes.empty()) throw UsageError("call_any on a group without members (there is none to call)");
  const Endpoint& endpoint = Endpoint::of_this_thread();
  std::size_t best = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (endpoint.in_flight_to(nodes[i]) < endpoint.in_flight_to(nodes[best])) best = i;
  }
  return best;
}

NodeSlot* enter_if_idle(Endpoint& endpoint, NodeId node) {
  NodeSlot* const slot = endpoint.local(node);
  const bool may = slot && !endpoint.settings().serialize_local && !slot->admission.own_thread;
  return may && slot->mailbox.enter_if_idle() ? slot : nullptr;
}

void run_entered(NodeSlot& slot, Entry* entry) {
  const Entry::Step step = entry->run(slot);
  if (step == Entry::Step::suspended) settle_suspended();
  if (step == Entry::Step::finished) slot.strand_returned();
}

}  // namespace slipway::detail
