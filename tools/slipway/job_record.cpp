// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "job_record.hpp"

#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;

void write_record(const fs::path& run_directory, const JobRecord& record) {
  using Json = nlohmann::ordered_json;
  Json json{{"jobs", record.ids},
            {"machine", record.machine},
            {"command", record.command},
            {"command_line", record.command_line}};
  if (!record.array.empty()) json["array"] = record.array;
  write_file_atomically(run_directory / "job.json", json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<JobRecord> read_record(const fs::path& run_directory) {
  const auto text = read_file(run_directory / "job.json");
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    return JobRecord{json.at("jobs"), json.at("machine"), json.at("command"), json.at("command_line"),
                     json.value("array", "")};
  } catch (const nlohmann::json::exception& error) {
    throw UsageError((run_directory / "job.json").string() + " is damaged (" + error.what() + ")");
  }
}

fs::path find_run(const std::string& named) {
  for (const fs::path& place : {fs::path(named), fs::path("runs") / named}) {
    if (!fs::is_directory(place)) continue;
    for (const char* const sign : {"status.json", "job.json", "batch.sh", "graph.json"}) {
      if (fs::exists(place / sign)) return fs::canonical(place);
    }
    throw UsageError(place.string() +
                     " is no run directory (it has neither status.json nor job.json); name one that "
                     "slipway made");
  }
  throw UsageError("there is no run directory " + named + " (nor runs/" + named + "); name the one that was printed");
}

}  // namespace slipway::tool
