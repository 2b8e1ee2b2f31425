// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "receive_ring.hpp"

#include <algorithm>

#include "agreement.hpp"
#include "batch.hpp"

namespace slipway::detail {

static_assert(batch_bytes <= 4096);

ReceiveRing::ReceiveRing(MPI_Comm communicator, std::uint32_t slots)
    : buffers_(std::make_unique<std::byte[]>(std::max(slots, 1u) * slot_bytes)),
      requests_(std::max(slots, 1u), MPI_REQUEST_NULL) {
  for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
    check(MPI_Recv_init(buffer(slot), static_cast<int>(slot_bytes), MPI_BYTE, MPI_ANY_SOURCE, batch_tag, communicator,
                        &requests_[slot]));
    check(MPI_Start(&requests_[slot]));
  }
}

bool ReceiveRing::cancel(seam::Time deadline) {
  if (used_) restart();
  for (auto& request : requests_) check(MPI_Cancel(&request));
  for (auto& request : requests_) {
    int done = 0;
    while (!done) {
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done) break;
      if (seam::now() > deadline) return false;
      seam::pause();
    }
    check(MPI_Request_free(&request));
  }
  return true;
}

}  // namespace slipway::detail
