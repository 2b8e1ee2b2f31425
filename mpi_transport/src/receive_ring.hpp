// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checked_mpi.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

inline constexpr int batch_tag = 1;

struct ReceivedBatch {
  std::uint32_t from = 0;
  std::span<const std::byte> bytes;
};

// Persistent receives for batches of any peer. Receives match in the order of their start, so only the oldest must be
// tested; that holds because every batch is small enough to be complete when it matches. With the turn only.
class ReceiveRing {
 public:
  ReceiveRing(MPI_Comm communicator, std::uint32_t slots);

  // The MPI error code; `received` says whether there is a batch, which is valid until the next test. Its receive starts
  // anew only then: what the batch asks for comes first.
  int test(bool& received, ReceivedBatch& batch) {
    if (used_) restart();
    int done = 0;
    MPI_Status status;
    const int code = MPI_Test(&requests_[head_], &done, &status);
    received = done != 0;
    if (!done) return code;
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count));
    batch.from = static_cast<std::uint32_t>(status.MPI_SOURCE);
    batch.bytes = {buffer(head_), static_cast<std::size_t>(count)};
    used_ = true;
    return code;
  }

  // Takes all receives back; false when MPI does not let go of them until the deadline.
  bool cancel(seam::Time deadline);

 private:
  void restart() {
    check(MPI_Start(&requests_[head_]));
    if (++head_ == requests_.size()) head_ = 0;
    used_ = false;
  }
  std::byte* buffer(std::size_t slot) { return buffers_.get() + slot * slot_bytes; }
  static constexpr std::size_t slot_bytes = 4096;

  std::unique_ptr<std::byte[]> buffers_;
  std::vector<MPI_Request> requests_;
  std::size_t head_ = 0;
  bool used_ = false;  // the receive at the head has ended, and its batch has been handed out
};

}  // namespace slipway::detail
