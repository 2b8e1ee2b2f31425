// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "slipway/rpc/wire.hpp"

namespace slipway::local {

// Frames one after the other; keeps its memory when it runs empty. One thread at a time.
class FrameQueue {
 public:
  bool empty() const { return start_ == bytes_.size(); }

  void push(std::span<const std::byte> head, std::span<const std::byte> body) {
    bytes_.insert(bytes_.end(), head.begin(), head.end());
    bytes_.insert(bytes_.end(), body.begin(), body.end());
  }

  std::span<const std::byte> front() const {
    wire::FrameCursor cursor(std::span<const std::byte>(bytes_).subspan(start_));
    return cursor.next() ? cursor.frame() : std::span<const std::byte>();
  }

  void pop() {
    start_ += front().size();
    const bool mostly_gone = start_ > bytes_.size() / 2 && start_ > compact_from;
    if (empty()) {
      clear();
    } else if (mostly_gone) {
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(start_));
      start_ = 0;
    }
  }

  void clear() {
    bytes_.clear();
    start_ = 0;
  }

 private:
  static constexpr std::size_t compact_from = 64 * 1024;
  std::vector<std::byte> bytes_;
  std::size_t start_ = 0;
};

}  // namespace slipway::local
