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

// While one lives, arguments are written with the refs that the task has, not with those to where the values are.
class AsTheyAre {
 public:
  AsTheyAre();
  ~AsTheyAre();
  AsTheyAre(const AsTheyAre&) = delete;
  AsTheyAre& operator=(const AsTheyAre&) = delete;
};

}  // namespace slipway::detail
