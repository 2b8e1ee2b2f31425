// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "slipway/local/mpirun_launcher.hpp"

namespace slipway::detail {

// A directory for the session files of one mpirun. Open MPI 4 keeps those of all runs of a user below one directory,
// which the last run to end removes under the feet of one that starts: that one then fails.
class SessionDirectory {
 public:
  explicit SessionDirectory(const Mpirun& mpirun) {
    const bool shared = mpirun.flavour == MpirunFlavour::open_mpi && mpirun.major < 5;
    if (!shared || ::getenv(variable)) return;
    std::error_code unknown;
    // mkdtemp asks for six X at the end, and puts letters in their place.
    std::string name = (std::filesystem::temp_directory_path(unknown) / ("slipway-" + std::string(6, 'X'))).string();
    if (!unknown && ::mkdtemp(name.data())) path_ = name;
  }
  ~SessionDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  SessionDirectory(const SessionDirectory&) = delete;
  SessionDirectory& operator=(const SessionDirectory&) = delete;

  // For mpirun; none where it does not need one.
  std::vector<std::string> environment() const {
    return path_.empty() ? std::vector<std::string>{} : std::vector{std::string(variable) + "=" + path_.string()};
  }

 private:
  static constexpr const char* variable = "OMPI_MCA_orte_tmpdir_base";

  std::filesystem::path path_;
};

}  // namespace slipway::detail
