// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "slipway/base/seam.hpp"
#include "start_agreement.hpp"

namespace slipway::detail {

// Empty polls before a waiting thread gives its core away: many only where nobody else of the rank has use for it.
inline std::uint32_t chosen_spin(const Agreement& agreement, RankId rank) {
  constexpr std::uint32_t sharing = 64;
  constexpr std::uint32_t alone = 1'000;
  const double cores = agreement.machine.ranks[rank.index()].cpus;
  const double wanted = agreement.placement.load[rank.index()].cpus;  // handlers compute as well
  return wanted <= cores && !seam::simulated() ? alone : sharing;
}

}  // namespace slipway::detail
