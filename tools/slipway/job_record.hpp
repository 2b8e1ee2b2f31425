// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway::tool {

// job.json in the run directory: what was submitted, and as which job.
struct JobRecord {
  std::vector<std::string> ids{};  // of a chain several, in their order; empty: not submitted
  std::string machine{};
  std::vector<std::string> command{};
  std::string command_line{};
  std::string array{};  // as sbatch takes it; empty: one run
};

void write_record(const std::filesystem::path& run_directory, const JobRecord& record);
// Nothing where there is none, as for a run that was no job.
std::optional<JobRecord> read_record(const std::filesystem::path& run_directory);

// The run directory that the user means: a path, or "latest" and any other name below runs/. Throws UsageError.
std::filesystem::path find_run(const std::string& named);

}  // namespace slipway::tool
