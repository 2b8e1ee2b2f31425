// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway {

namespace {

namespace fs = std::filesystem;

void refuse_other_seed(const RunDirectory& before, const Settings& settings) {
  const auto text = before.read("options.json");
  const auto options = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!options.is_object() || !options.contains("seed")) {
    throw UsageError(fmt::format("{} is no run to be repeated (it has no options.json). Name the directory of a run",
                                 before.path().string()));
  }
  const std::string seed = options["seed"].value("value", "");
  if (seed == std::to_string(settings.seed)) return;
  throw UsageError(fmt::format(
      "the run {} had another seed ({}, and this one has {}), so its tasks had other ids. Start with --slipway-seed={}",
      before.path().string(), seed, settings.seed, seed));
}

}  // namespace

std::vector<WaitRecord> waits_to_repeat(const Settings& settings, std::uint32_t rank) {
  if (settings.replay.empty()) return {};
  const RunDirectory before = RunDirectory::at(settings.replay);
  refuse_other_seed(before, settings);
  const fs::path own = before.wait_log_file(rank, settings.attempt);
  const std::string ending = fmt::format(".{}.waits", settings.attempt);
  std::vector<fs::path> files;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(before.events(), absent)) {
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
  }
  if (files.empty()) {
    throw UsageError(
        fmt::format("the run {} kept no waits (its tasks were not waited for by wait or a WaitSet, or it had "
                    "--slipway-log-waits=0). "
                    "Repeat a run that did",
                    before.path().string()));
  }
  std::ranges::sort(files, {}, [&own](const fs::path& file) { return std::pair(file == own, file); });
  std::vector<WaitRecord> all;
  for (const fs::path& file : files) {
    const auto records = read_wait_log(file);
    all.insert(all.end(), records.begin(), records.end());
  }
  return all;
}

}  // namespace slipway
