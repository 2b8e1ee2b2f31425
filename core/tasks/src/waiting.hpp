// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace slipway::detail {

// While one lives, what would have to wait for another rank to write a ref throws WouldWait instead.
class MustNotWait {
 public:
  MustNotWait();
  ~MustNotWait();
  MustNotWait(const MustNotWait&) = delete;
  MustNotWait& operator=(const MustNotWait&) = delete;
};
struct WouldWait {};

}  // namespace slipway::detail
