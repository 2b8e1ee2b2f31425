// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace slipway::tool {

// Reads on in files that grow and that appear one after the other.
class GrowingFiles {
 public:
  // `wanted`: whether a file of the directory counts.
  GrowingFiles(std::filesystem::path directory, std::function<bool(const std::string& name)> wanted)
      : directory_(std::move(directory)), wanted_(std::move(wanted)) {}

  // Calls `each` for every line that is complete and new; files in the order of their names.
  void read_new_lines(const std::function<void(const std::string& line)>& each);

 private:
  std::filesystem::path directory_;
  std::function<bool(const std::string&)> wanted_;
  std::map<std::string, std::streamoff> read_;
};

// What the batch script and the launcher print: of all jobs of the run.
GrowingFiles logs_of_job(const std::filesystem::path& run_directory);

// Prints that until the job is over, and returns the run's exit status.
int follow_to_end(const std::filesystem::path& run_directory);

}  // namespace slipway::tool
