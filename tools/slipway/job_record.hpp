// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway::tool {

inline constexpr const char* record_file = "job.json";

// That file in the run directory: what was submitted, and as which job.
struct JobRecord {
  std::vector<std::string> ids{};  // of a chain several, in their order; empty: not submitted
  std::string machine{};
  std::vector<std::string> command{};
  std::string command_line{};
  std::string array{};  // as sbatch takes it; empty: one run
};

void write_record(const std::filesystem::path& run_directory, const JobRecord& record);
// Nothing where there is none, as for a run that was no job. An element of an array has that of its array, with its own
// ids ("17_3"), until it is submitted alone.
std::optional<JobRecord> read_record(const std::filesystem::path& run_directory);

// An element of an array: a run in a directory below that of the array, which is there once it has begun.
struct ElementPlace {
  std::filesystem::path array;
  std::uint32_t index = 0;
};
// Nothing where the directory is that of another run.
std::optional<ElementPlace> element_place(const std::filesystem::path& run_directory);

// The run directory that the user means: a path, or "latest" and any other name below runs/. Throws UsageError.
std::filesystem::path find_run(const std::string& named);

}  // namespace slipway::tool
