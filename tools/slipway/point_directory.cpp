// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "point_directory.hpp"

#include <string>

#include "sbatch.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;

namespace {

fs::path of_try(const fs::path& directory, int number) { return directory.string() + ".try-" + std::to_string(number); }

int next_try(const fs::path& directory) {
  int number = 1;
  while (fs::exists(of_try(directory, number))) ++number;
  return number;
}

}  // namespace

void clear_for_another_try(const fs::path& directory) {
  const fs::path fresh = directory.string() + ".new";
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  if (fs::exists(directory / script_file)) fs::copy_file(directory / script_file, fresh / script_file);
  fs::rename(directory, of_try(directory, next_try(directory)));
  fs::rename(fresh, directory);
}

void restore_script(const fs::path& directory) {
  if (fs::exists(directory / script_file)) return;
  fs::create_directories(directory);
  const fs::path last = of_try(directory, next_try(directory) - 1);
  if (fs::exists(last / script_file)) fs::copy_file(last / script_file, directory / script_file);
}

}  // namespace slipway::tool
