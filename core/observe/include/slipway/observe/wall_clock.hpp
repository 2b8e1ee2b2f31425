// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

// Time as people and files want it. Under the seeded scheduler it is virtual and starts at 1970, so that logs repeat.
namespace slipway {

// Nanoseconds since 1970-01-01 UTC.
std::int64_t wall_now();

// "2026-03-01T12:00:00.123456Z"; always 27 characters, so that lines sort by time as text.
std::string format_time(std::int64_t wall_nanoseconds);

// "20260301-120000" in UTC, for names of directories.
std::string format_compact_time(std::int64_t wall_nanoseconds);

}  // namespace slipway
