// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "job_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/slurm/array_indexes.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;

namespace {

std::optional<JobRecord> own_record(const fs::path& run_directory) {
  const auto text = read_file(run_directory / record_file);
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    return JobRecord{json.at("jobs"), json.at("machine"), json.at("command"), json.at("command_line"),
                     json.value("array", "")};
  } catch (const nlohmann::json::exception& error) {
    throw UsageError((run_directory / record_file).string() + " is damaged (" + error.what() + ")");
  }
}

}  // namespace

void write_record(const fs::path& run_directory, const JobRecord& record) {
  using Json = nlohmann::ordered_json;
  Json json{{"jobs", record.ids},
            {"machine", record.machine},
            {"command", record.command},
            {"command_line", record.command_line}};
  if (!record.array.empty()) json["array"] = record.array;
  write_file_atomically(run_directory / record_file, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<JobRecord> read_record(const fs::path& run_directory) {
  if (auto record = own_record(run_directory)) return record;
  const auto element = element_place(run_directory);
  if (!element) return std::nullopt;
  auto record = own_record(element->array);
  record->array.clear();
  for (auto& id : record->ids) id += "_" + std::to_string(element->index);
  return record;
}

std::optional<ElementPlace> element_place(const fs::path& run_directory) {
  const std::string name = run_directory.filename().string();
  const auto named = slurm::parse_array(name);
  if (!named || named->size() != 1 || name != std::to_string(named->front())) return std::nullopt;
  const auto array = own_record(run_directory.parent_path());
  const auto indexes = array ? slurm::parse_array(array->array) : std::nullopt;
  if (!indexes || !std::binary_search(indexes->begin(), indexes->end(), named->front())) return std::nullopt;
  return ElementPlace{run_directory.parent_path(), named->front()};
}

fs::path find_run(const std::string& named) {
  for (const fs::path& place : {fs::path(named), fs::path("runs") / named}) {
    fs::path path = fs::weakly_canonical(fs::absolute(place));
    if (!path.has_filename()) path = path.parent_path();  // "RUN/3/"
    if (element_place(path)) return path;
    if (!fs::is_directory(place)) continue;
    for (const char* const sign : {"status.json", record_file, "batch.sh", "graph.json"}) {
      if (fs::exists(path / sign)) return path;
    }
    throw UsageError(place.string() +
                     " is no run directory (it has neither status.json nor job.json); name one that "
                     "slipway made");
  }
  throw UsageError("there is no run directory " + named + " (nor runs/" + named + "); name the one that was printed");
}

}  // namespace slipway::tool
