// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "slipway/base/text.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::slurm {

MachinePath machine_path(const std::function<const char*(const char*)>& environment,
                         const std::filesystem::path& current_directory, const std::filesystem::path& shipped) {
  MachinePath path;
  if (const char* const listed = environment("SLIPWAY_MACHINE_PATH")) {
    for (const std::string_view directory : split(listed, ':')) {
      if (!directory.empty()) path.directories.emplace_back(directory);
    }
  }
  path.directories.push_back(current_directory / ".slipway" / "machines");
  if (const char* const configuration = environment("XDG_CONFIG_HOME"); configuration && *configuration) {
    path.directories.push_back(std::filesystem::path(configuration) / "slipway" / "machines");
  } else if (const char* const home = environment("HOME"); home && *home) {
    path.directories.push_back(std::filesystem::path(home) / ".config" / "slipway" / "machines");
  }
  path.directories.push_back(shipped);
  return path;
}

std::vector<MachineFile> find_machines(const MachinePath& path) {
  std::vector<MachineFile> machines;
  std::set<std::string> names;
  for (const auto& directory : path.directories) {
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(directory, absent)) {
      const auto& file = entry.path();
      if (file.extension() == ".json" && names.insert(file.stem()).second) machines.push_back({file.stem(), file});
    }
  }
  std::sort(machines.begin(), machines.end(),
            [](const MachineFile& left, const MachineFile& right) { return left.name < right.name; });
  return machines;
}

}  // namespace slipway::slurm
