// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace slipway::detail {

class Endpoint;

// Deadlock probes (contract 3). One is sent when a wait begins, and again while it lasts: it follows the chain "this wait
// is for that call, which runs in or queues behind that handler, which waits for ..." from rank to rank. When it comes
// back to the wait that sent it, the chain is a cycle that nobody can leave. A chain that ends, or that meets a wait
// with a time limit, is none.
void send_probe(Endpoint& endpoint, std::uint64_t wait_key);
void take_probe(Endpoint& endpoint, std::span<const std::byte> body);

}  // namespace slipway::detail
