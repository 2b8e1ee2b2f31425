// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "arguments.hpp"

// Where the value of an option comes from: a flag beats the environment, that the user's file, that the profile.
namespace slipway::tool {

// Gives options without a flag the value of SLIPWAY_JOB_NAME (ACCOUNT for --account), else of "account" in
// $XDG_CONFIG_HOME/slipway/config.json (~/.config/slipway/config.json). Returns each option's origin. Throws UsageError
// for values that do not fit, and for names in the file that no option has.
std::map<std::string, std::string> fill_in(const Verb& verb);

// A line each: option, value, origin.
std::string describe_origins(const Verb& verb, const std::map<std::string, std::string>& origins);

}  // namespace slipway::tool
