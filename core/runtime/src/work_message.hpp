// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "slipway/observe/work.hpp"

// Reported work on its way to the controller. Ranks share no clock: what travels is how long ago the last report was.
namespace slipway::detail {

std::string work_message(const Work& work, seam::Time now);
// Throws WireError.
Work work_from(std::string_view text, seam::Time now);

}  // namespace slipway::detail
