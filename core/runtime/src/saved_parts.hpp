// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "slipway/state/saved_state.hpp"

// What ranks tell the controller of the parts that their nodes have saved: a line each.
namespace slipway::detail {

std::string to_text(const SavedPart& part);
std::vector<SavedPart> saved_parts_from(std::string_view text);

}  // namespace slipway::detail
