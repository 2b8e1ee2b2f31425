// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "slipway/runtime/options.hpp"

namespace slipway::detail {

// A size in bytes is a number too, but is written with a unit.
struct ByteSize {
  std::uint64_t Settings::*member;
};

using Member = std::variant<bool Settings::*, std::uint32_t Settings::*, std::uint64_t Settings::*, ByteSize,
                            std::string Settings::*, Settings::Duration Settings::*, LauncherChoice Settings::*,
                            PlanRequest Settings::*, LogLevel Settings::*>;

struct Knob {
  std::string_view name;  // "stall-after" for --slipway-stall-after and SLIPWAY_STALL_AFTER
  Member member;
  std::string_view unit;
  std::string_view text;
  bool may_be_zero = true;
};

std::span<const Knob> knobs();

// Variables that slipway's parts set for each other; a user may not be told that they are unknown.
bool is_internal_variable(std::string_view name);

std::string environment_name(std::string_view knob_name);

// What a flag without value means; empty: it needs one.
std::string_view value_when_bare(const Knob& knob);

// Throws UsageError whose text starts with `written`, the way in which the user gave the option.
void parse_into(Settings& settings, const Knob& knob, std::string_view value, std::string_view written);
std::string print_value(const Settings& settings, const Knob& knob);

}  // namespace slipway::detail
