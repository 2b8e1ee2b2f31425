// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A scaling study: one program at several sizes, several times each. Its directory holds study.json and, below points/,
// one run directory a point.
namespace slipway::study {

enum class Scaling : std::uint8_t { strong, weak };
enum class Runner : std::uint8_t { jobs, steps, local };  // a job a point, steps of one job, this machine

std::string_view to_string(Scaling scaling);
std::string_view to_string(Runner runner);

struct Point {
  std::uint32_t size = 1;
  std::uint32_t repeat = 1;  // from 1

  friend bool operator==(const Point&, const Point&) = default;
};

struct Study {
  std::string name{};
  Scaling scaling = Scaling::strong;
  Runner runner = Runner::local;
  std::string unit{};  // of sizes: "nodes" or "ranks"
  std::uint64_t seed = 0;
  std::vector<Point> order{};          // in which the points run
  std::vector<std::string> command{};  // with its placeholders
  std::string command_line{};          // that made the study
  std::string machine{};
  std::string binding{};                             // of ranks to cores, as the launcher is asked for it
  std::map<std::string, std::string> environment{};  // of the program, for points on this machine
  std::map<std::uint32_t, std::uint32_t> ranks{};    // that a run of each size must have
  bool one_at_a_time = false;                        // of jobs: each waits for the one before
  std::string modules{};                             // loaded when it was made, as LOADEDMODULES has them
  std::int64_t made = 0;                             // nanoseconds since 1970 UTC
};

// Each size `repeats` times, shuffled: equal seeds give equal orders, everywhere.
std::vector<Point> shuffled_points(const std::vector<std::uint32_t>& sizes, std::uint32_t repeats, std::uint64_t seed);

// Sizes in their order, each once.
std::vector<std::uint32_t> sizes_of(const Study& study);
std::uint32_t repeats_of(const Study& study);

// "1,2,4": one or more whole numbers from 1 on, each once. Throws UsageError.
std::vector<std::uint32_t> parse_sizes(std::string_view option, std::string_view text);

// Puts values in the place of {nodes}, {ranks}, {repeat}, and of {nodes*1000} and its like; other braces stay. Throws
// UsageError for a placeholder without a value.
std::vector<std::string> filled(const std::vector<std::string>& command,
                                const std::map<std::string, std::uint64_t>& values);
// Whether the command has this placeholder.
bool uses(const std::vector<std::string>& command, std::string_view placeholder);

// "4 nodes", "1 rank".
std::string amount_text(std::uint32_t size, const std::string& unit);
// "4 nodes, run 2".
std::string point_text(Point point, const std::string& unit);

std::string to_json(const Study& study);
void write_study(const std::filesystem::path& directory, const Study& study);
// Nothing where there is no study. Throws UsageError when it is damaged.
std::optional<Study> read_study(const std::filesystem::path& directory);
// The run directory of a point: points/nodes-4-run-2.
std::filesystem::path directory_of(const std::filesystem::path& study_directory, const Study& study, Point point);

}  // namespace slipway::study
