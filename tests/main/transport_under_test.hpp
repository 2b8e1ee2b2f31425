// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "slipway/rpc/transport.hpp"

// What tests/contract needs of each transport. Each main file of this folder implements it for its own: ranks are threads
// (local_main.cpp) or processes (mpi_main.cpp).
namespace slipway::test {

struct TransportWishes {
  std::uint32_t fake_hosts = 1;
  // Small, so that transfers of some hundred KiB take many steps.
  std::size_t chunk_bytes = 16 * 1024;
  // Requests under way from one rank to another, where the transport lets itself be asked.
  std::size_t credits = 1024;
};

// Runs `body` once on every rank of a program, each with its own new transport, and closes it afterwards; and again for
// each number of ranks and each seed that this program of tests covers. `body` comes to rest before it returns: all that
// it has sent has arrived. An exception out of it is a failure of the test.
void run_on_all_ranks(const TransportWishes& wishes, const std::function<void(Transport&)>& body);

inline void run_on_all_ranks(const std::function<void(Transport&)>& body) { run_on_all_ranks({}, body); }

}  // namespace slipway::test
