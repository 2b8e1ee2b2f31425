// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "slipway/tasks/ref.hpp"

namespace slipway::detail {

// What a member of a gang knows of it; goes along with the task.
struct GangSeat {
  std::uint64_t gang = 0;
  std::uint32_t owner = 0;           // the rank that submitted it
  std::uint32_t member = 0;          // its place, from 0
  std::vector<std::uint32_t> ranks;  // of the members, in order
  Ref<void> start;                   // has its value once all members are there
};

}  // namespace slipway::detail
