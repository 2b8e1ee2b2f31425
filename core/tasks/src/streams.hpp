// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "slipway/base/seam.hpp"

namespace slipway::detail {

class StreamBase;

// The streams that this rank takes values of. Any thread.
class Streams {
 public:
  void add(std::uint64_t id, std::weak_ptr<StreamBase> stream) {
    const std::lock_guard guard(lock_);
    streams_[id] = std::move(stream);
  }
  std::shared_ptr<StreamBase> find(std::uint64_t id) {
    const std::lock_guard guard(lock_);
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.lock();
  }
  void remove(std::uint64_t id) {
    const std::lock_guard guard(lock_);
    streams_.erase(id);
  }

 private:
  seam::SpinLock lock_;  // guards streams_
  std::unordered_map<std::uint64_t, std::weak_ptr<StreamBase>> streams_;
};

}  // namespace slipway::detail
