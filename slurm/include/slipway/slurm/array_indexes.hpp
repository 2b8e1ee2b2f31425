// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::slurm {

// Of an array as sbatch takes it and scontrol shows it, "0-99%8", "1,5,7", "0-20:5": ascending, each once. Nothing for
// what is no array, and for one of more than 1,000,000 elements.
std::optional<std::vector<std::uint32_t>> parse_array(std::string_view text);

// The short form of ascending indexes: "0-3,7".
std::string format_array(std::span<const std::uint32_t> indexes);

}  // namespace slipway::slurm
