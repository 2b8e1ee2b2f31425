// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slipway/observe/counters.hpp"

// The end report: what each node did, the busiest first.
namespace slipway {

struct ReportRow {
  std::string node{};
  std::uint32_t rank = 0;
  NodeCounts counts{};
};

struct Report {
  std::string program{};
  std::int64_t wall_time = 0;  // nanoseconds, from launch to the end
  std::vector<ReportRow> rows{};
};

// A table with a line of totals; at most `most_rows` nodes, the rest in one line "and N more".
std::string to_text(const Report& report, std::size_t most_rows = 40);
// All nodes, raw numbers.
std::string to_json(const Report& report);

// Short numbers for people: "12.3 k", "1.25 GiB", "3.4 ms".
std::string short_count(std::uint64_t count);
std::string short_bytes(std::uint64_t bytes);
std::string short_time(std::int64_t nanoseconds);

}  // namespace slipway
