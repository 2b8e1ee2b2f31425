// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checked_mpi.hpp"
#include "process_failure.hpp"
#include "slipway/rpc/transport.hpp"

namespace slipway::detail {

struct ChunkLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::uint32_t in_flight = 4;
  std::uint64_t pushed_bytes = 0;  // up to so many in all are sent without being asked for
};

// One side of the bulk transfer of some segments: cuts them into chunks, each one MPI message, a few in flight.
// Both sides cut alike, so chunks match in order. With the turn only.
class ChunkStream {
 public:
  ChunkStream(std::vector<MutableSegment> segments, const ChunkLimits& limits)
      : segments_(std::move(segments)), chunk_bytes_(limits.bytes), requests_(limits.in_flight, MPI_REQUEST_NULL) {}

  // `post(data, bytes, request)` starts one chunk. Fills the window; true when all chunks have ended.
  template <class Post>
  bool progress(Post&& post) {
    for (;;) {
      while (in_flight_ < requests_.size() && seek()) {
        const std::size_t size = std::min<std::uint64_t>(segments_[segment_].size - offset_, chunk_bytes_);
        const int code = post(segments_[segment_].data + offset_, static_cast<int>(size), slot(in_flight_));
        if (failed(code)) return false;
        offset_ += size;
        ++in_flight_;
      }
      if (in_flight_ == 0) return true;
      int done = 0;
      if (failed(MPI_Test(slot(0), &done, MPI_STATUS_IGNORE)) || !done) return false;
      head_ = (head_ + 1) % requests_.size();
      --in_flight_;
    }
  }

  // The peer is gone: tries to take back what is in flight. False: MPI still holds some of it.
  bool cancel() {
    bool all_back = true;
    for (std::size_t i = 0; i < in_flight_; ++i) {
      int done = 0;
      if (*slot(i) == MPI_REQUEST_NULL) continue;
      MPI_Cancel(slot(i));
      if (MPI_Test(slot(i), &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done) all_back = false;
    }
    return all_back;
  }
  bool idle() const { return in_flight_ == 0; }

 private:
  // A failed process stops the stream; its loss is found and dealt with elsewhere.
  bool failed(int code) {
    if (code == MPI_SUCCESS) return broken_;
    if (!is_process_failure(code)) check(code);
    broken_ = true;
    return true;
  }
  bool seek() {
    while (segment_ < segments_.size() && offset_ == segments_[segment_].size) {
      ++segment_;
      offset_ = 0;
    }
    return segment_ < segments_.size();
  }
  MPI_Request* slot(std::size_t from_head) { return &requests_[(head_ + from_head) % requests_.size()]; }

  std::vector<MutableSegment> segments_;
  std::size_t chunk_bytes_;
  std::vector<MPI_Request> requests_;  // a ring
  std::size_t head_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t segment_ = 0;
  std::uint64_t offset_ = 0;
  bool broken_ = false;
};

}  // namespace slipway::detail
