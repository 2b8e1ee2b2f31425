// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace slipway::detail {

// Of the HDF5 that this program has loaded, as in "1.14.3"; nothing when it has none. slipway needs none itself.
std::optional<std::string> hdf5_version();

}  // namespace slipway::detail
