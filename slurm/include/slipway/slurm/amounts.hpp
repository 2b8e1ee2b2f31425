// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

// Times and sizes as people write them and as Slurm reads them.
namespace slipway::slurm {

// Slurm's six forms (M, M:S, H:M:S, D-H, D-H:M, D-H:M:S; a bare number is minutes) and 90m, 1h30m, 2d, 45s. Throws
// UsageError for anything else, for 0 (which Slurm takes for "no limit") and for more than 365 days.
std::chrono::seconds parse_wall_time(std::string_view text);

// "01:30:00", "2-00:00:00". Needs a time above 0.
std::string format_wall_time(std::chrono::seconds time);

// "4G", "1.5 GiB", "800M", "1T", "3000" (MiB, as in Slurm): MiB. All units are powers of 1,024, as Slurm's. Throws
// UsageError for anything else, for 0, for what is no whole number of MiB, and past 2^53.
std::uint64_t parse_memory_mib(std::string_view text);

// "4096M": the one form that every Slurm takes.
std::string format_memory(std::uint64_t mib);

}  // namespace slipway::slurm
