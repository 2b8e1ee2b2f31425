// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

namespace slipway {

namespace {

// Three digits that matter, and the unit.
std::string short_number(double value, double step, std::initializer_list<const char*> units) {
  auto unit = units.begin();
  while (value >= step * 0.9995 && unit + 1 != units.end()) {
    value /= step;
    ++unit;
  }
  const bool whole = unit == units.begin() || value >= 99.95;
  std::array<char, 48> text{};
  const int digits = whole ? 0 : value >= 9.995 ? 1 : 2;
  const int length = std::snprintf(text.data(), text.size(), "%.*f%s%s", digits, value, **unit ? " " : "", *unit);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::vector<ReportRow> busiest_first(std::vector<ReportRow> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ReportRow& left, const ReportRow& right) { return left.counts.busy > right.counts.busy; });
  return rows;
}

using Cells = std::array<std::string, 8>;

Cells cells_of(const std::string& node, const std::string& rank, const NodeCounts& counts) {
  return {node,
          rank,
          short_count(counts.calls),
          short_count(counts.failed),
          short_time(static_cast<std::int64_t>(counts.busy)),
          short_time(static_cast<std::int64_t>(counts.waiting)),
          short_bytes(counts.bytes_in),
          short_bytes(counts.bytes_out)};
}

std::string table(const std::vector<Cells>& lines) {
  std::array<std::size_t, 8> widths{};
  for (const auto& line : lines) {
    for (std::size_t column = 0; column < line.size(); ++column) {
      widths[column] = std::max(widths[column], line[column].size());
    }
  }
  std::string text;
  for (const auto& line : lines) {
    // Names stand to the left, numbers to the right.
    text.append("  ").append(line[0]).append(widths[0] - line[0].size(), ' ');
    for (std::size_t column = 1; column < line.size(); ++column) {
      text.append(2 + widths[column] - line[column].size(), ' ').append(line[column]);
    }
    text.push_back('\n');
  }
  return text;
}

nlohmann::ordered_json object_of(const NodeCounts& counts) {
  return {{"calls", counts.calls},        {"failed", counts.failed},     {"busy_ns", counts.busy},
          {"waiting_ns", counts.waiting}, {"bytes_in", counts.bytes_in}, {"bytes_out", counts.bytes_out}};
}

NodeCounts counts_of(const nlohmann::json& object) {
  return {.calls = object.at("calls"),
          .failed = object.at("failed"),
          .busy = object.at("busy_ns"),
          .waiting = object.at("waiting_ns"),
          .bytes_in = object.at("bytes_in"),
          .bytes_out = object.at("bytes_out")};
}

NodeCounts total_of(const std::vector<ReportRow>& rows) {
  NodeCounts total;
  for (const auto& row : rows) total += row.counts;
  return total;
}

}  // namespace

std::string short_count(std::uint64_t count) {
  return short_number(static_cast<double>(count), 1000, {"", "k", "M", "G", "T"});
}
std::string short_amount(double amount) {
  if (amount >= 999.5) return short_number(amount, 1000, {"", "k", "M", "G", "T"});
  std::array<char, 48> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3g", amount);
  return {text.data(), static_cast<std::size_t>(length)};
}
std::string short_bytes(std::uint64_t bytes) {
  return short_number(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}
std::string short_time(std::int64_t nanoseconds) {
  return short_number(static_cast<double>(nanoseconds), 1000, {"ns", "us", "ms", "s"});
}

std::string to_text(const Report& report, std::size_t most_rows) {
  const auto rows = busiest_first(report.rows);
  const std::size_t shown = std::min(rows.size(), most_rows);
  std::vector<Cells> lines{{"node", "rank", "calls", "failed", "busy", "waiting", "in", "out"}};
  for (std::size_t i = 0; i < shown; ++i) {
    lines.push_back(cells_of(rows[i].node, std::to_string(rows[i].rank), rows[i].counts));
  }
  if (shown < rows.size()) {
    const std::vector<ReportRow> rest(rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end());
    lines.push_back(cells_of("and " + std::to_string(rest.size()) + " more", "", total_of(rest)));
  }
  lines.push_back(cells_of("total", "", total_of(rows)));
  std::string text = report.program + " ran " + short_time(report.wall_time) + "\n";
  for (const auto& work : report.work) {
    text += "  " + short_amount(work.amount) + " " + work.unit + " in " + short_time(work.time) + ": " +
            short_amount(work.rate()) + "/s\n";
  }
  return text + table(lines);
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json object = {{"program", report.program}, {"wall_time_ns", report.wall_time}};
  object["starting_ns"] = report.starting;
  object["running_ns"] = report.running;
  object["work"] = nlohmann::ordered_json::array();
  for (const auto& work : report.work) {
    object["work"].push_back(
        {{"unit", work.unit}, {"amount", work.amount}, {"time_ns", work.time}, {"per_second", work.rate()}});
  }
  object["total"] = object_of(total_of(report.rows));
  object["nodes"] = nlohmann::ordered_json::array();
  for (const auto& row : busiest_first(report.rows)) {
    auto entry = object_of(row.counts);
    entry["node"] = row.node;
    entry["rank"] = row.rank;
    object["nodes"].push_back(std::move(entry));
  }
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<Report> parse_report(std::string_view json) {
  try {
    const auto object = nlohmann::json::parse(json);
    Report report{.program = object.at("program"), .wall_time = object.at("wall_time_ns")};
    object.at("starting_ns").get_to(report.starting);
    object.at("running_ns").get_to(report.running);
    for (const auto& work : object.at("work")) {
      report.work.push_back({work.at("unit"), work.at("amount"), work.at("time_ns")});
    }
    for (const auto& node : object.at("nodes")) {
      report.rows.push_back({node.at("node"), node.at("rank"), counts_of(node)});
    }
    return report;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace slipway
