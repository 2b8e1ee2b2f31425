// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace slipway::tool {

// The command line of this very process, as one would type it.
std::string own_command_line();

}  // namespace slipway::tool
