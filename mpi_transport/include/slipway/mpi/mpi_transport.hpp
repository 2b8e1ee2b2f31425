// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "slipway/rpc/transport.hpp"

// Ranks as MPI processes. This header is free of MPI; `slipway/mpi/communicator.hpp` is for programs that bring a
// communicator of their own.
namespace slipway {

struct MpiOptions {
  std::uint32_t fake_hosts =
      0;  // n > 0: ranks count as spread over n hosts, in blocks (no bell, no pidfd between them)
  std::chrono::nanoseconds start_limit = std::chrono::seconds(60);  // 0: none
  std::chrono::nanoseconds close_limit = std::chrono::seconds(10);
  std::chrono::nanoseconds detection_limit = std::chrono::seconds(15);  // silence of another host; 0: endless
  std::uint32_t receive_slots = 64;                                     // receives posted for small messages
  std::uint32_t unexpected_limit = 1000;  // request batches that may be under way to one rank, over all its peers
  std::size_t chunk_bytes = 0;            // of large frames; 0: 4 MiB on one host, 1 MiB between hosts
  std::uint32_t chunks_in_flight = 4;
  const void* communicator = nullptr;  // points to an MPI_Comm, read while the transport is made; null: MPI_COMM_WORLD
};

// MPI, initialised once for the process: by this object, unless the program has done so before. Throws Error when the
// thread level is below MPI_THREAD_SERIALIZED, or when a launcher started many processes that do not see each other.
// The destructor finalizes what the constructor initialised, on the same thread; never after a failure (a lost peer, a
// transport that was not closed, an exception under way): MPI_Finalize could hang then, and the process should `_exit`.
class MpiEnvironment {
 public:
  MpiEnvironment() : MpiEnvironment(nullptr, nullptr) {}
  MpiEnvironment(int* argc, char*** argv);
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;
  ~MpiEnvironment();

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  bool initialised_here() const { return initialised_here_; }
  // Whether MPI_Finalize is still safe. False: leave by `_exit`.
  static bool healthy();
  // From now on the destructor leaves MPI alone.
  void abandon() noexcept { initialised_here_ = false; }

 private:
  bool initialised_here_ = false;
  int exceptions_at_start_ = 0;
  std::thread::id thread_;
  std::uint32_t rank_ = 0;
  std::uint32_t size_ = 1;
};

// Collective over the communicator; an MpiEnvironment, or the program's own MPI, must be alive until after `close`.
// Throws Error when the ranks cannot work together (refused sizes, start_limit passed).
std::unique_ptr<Transport> make_mpi_transport(const MpiOptions& options = {});

}  // namespace slipway
