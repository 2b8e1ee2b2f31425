// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/base/seam.hpp"

namespace slipway::detail {

// How long ago this process was started; 0 where the system does not tell. Good to a hundredth of a second.
seam::Time process_age();

}  // namespace slipway::detail
