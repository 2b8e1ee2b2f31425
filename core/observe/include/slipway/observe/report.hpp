// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/observe/counters.hpp"

// The end report: what each node did, the busiest first.
namespace slipway {

struct ReportRow {
  std::string node{};
  std::uint32_t rank = 0;
  NodeCounts counts{};
};

// What Context::report was told in one unit, all nodes together.
struct ReportedWork {
  std::string unit{};
  double amount = 0;
  std::int64_t time = 0;  // nanoseconds, from the start of the workers to the last report

  double rate() const { return time > 0 ? amount * 1e9 / static_cast<double>(time) : 0; }
};

struct Report {
  std::string program{};
  std::int64_t wall_time = 0;  // nanoseconds, from the start of the process (or of launch) to the end of the last node
  std::vector<ReportRow> rows{};
  std::int64_t starting = 0;  // part of wall_time: until the workers started
  std::int64_t running = 0;   // part of wall_time: from there until the stop began
  std::vector<ReportedWork> work{};
};

// A table with a line of totals, below a line for each kind of work; at most `most_rows` nodes, the rest in one line
// "and N more".
std::string to_text(const Report& report, std::size_t most_rows = 40);
// All nodes, raw numbers.
std::string to_json(const Report& report);
// Nothing when the text is not what to_json makes.
std::optional<Report> parse_report(std::string_view json);

// Short numbers for people: "12.3 k", "0.25", "1.25 GiB", "3.4 ms".
std::string short_count(std::uint64_t count);
std::string short_amount(double amount);
std::string short_bytes(std::uint64_t bytes);
std::string short_time(std::int64_t nanoseconds);

}  // namespace slipway
