// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/status.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/observe/wall_clock.hpp"

namespace slipway {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, 4> state_names = {"starting", "running", "stopping", "ended"};

Json object_of(const FirstFailure& failure) {
  return {{"status", static_cast<int>(failure.status)},
          {"node", failure.node},
          {"rank", failure.rank},
          {"host", failure.host},
          {"type", failure.type},
          {"text", failure.text},
          {"log_file", failure.log_file}};
}

FirstFailure failure_of(const Json& object) {
  FirstFailure failure;
  failure.status = static_cast<ExitStatus>(object.at("status").get<int>());
  object.at("node").get_to(failure.node);
  object.at("rank").get_to(failure.rank);
  object.at("host").get_to(failure.host);
  object.at("type").get_to(failure.type);
  object.at("text").get_to(failure.text);
  object.at("log_file").get_to(failure.log_file);
  return failure;
}

Json object_of(const RunStatus& status) {
  Json object = {{"program", status.program}, {"state", to_string(status.state)}};
  object["exit_status"] = status.exit_status ? Json(static_cast<int>(*status.exit_status)) : Json();
  object["first_failure"] = status.first_failure ? object_of(*status.first_failure) : Json();
  object["stop_reason"] = status.stop_reason;
  object["finished"] = status.finished;
  object["ranks"] = status.ranks;
  object["attempt"] = status.attempt;
  object["written_by"] = {{"rank", status.written_by}, {"host", status.host}, {"process", status.process}};
  object["started"] = status.started;
  object["heartbeat"] = status.heartbeat;
  object["heartbeat_text"] = format_time(status.heartbeat);
  object["ended"] = status.ended;
  object["progress"] = {{"workers", status.progress.workers},
                        {"workers_done", status.progress.workers_done},
                        {"calls", status.progress.calls},
                        {"text", status.progress.text},
                        {"progress_number", status.progress.number},
                        {"work", status.progress.work}};
  object["saved_state"] = status.saved_state;
  object["saving"] = status.saving;
  return object;
}

RunState state_of(const std::string& name) {
  const auto found = std::find(state_names.begin(), state_names.end(), name);
  if (found == state_names.end()) throw Error("unknown state " + name);
  return static_cast<RunState>(found - state_names.begin());
}

RunStatus status_of(const Json& object) {
  RunStatus status;
  object.at("program").get_to(status.program);
  status.state = state_of(object.at("state").get<std::string>());
  if (!object.at("exit_status").is_null()) {
    status.exit_status = static_cast<ExitStatus>(object.at("exit_status").get<int>());
  }
  if (!object.at("first_failure").is_null()) status.first_failure = failure_of(object.at("first_failure"));
  object.at("stop_reason").get_to(status.stop_reason);
  object.at("finished").get_to(status.finished);
  object.at("ranks").get_to(status.ranks);
  object.at("attempt").get_to(status.attempt);
  object.at("written_by").at("rank").get_to(status.written_by);
  object.at("written_by").at("host").get_to(status.host);
  object.at("written_by").at("process").get_to(status.process);
  object.at("started").get_to(status.started);
  object.at("heartbeat").get_to(status.heartbeat);
  object.at("ended").get_to(status.ended);
  const auto& progress = object.at("progress");
  progress.at("workers").get_to(status.progress.workers);
  progress.at("workers_done").get_to(status.progress.workers_done);
  progress.at("calls").get_to(status.progress.calls);
  progress.at("text").get_to(status.progress.text);
  progress.at("progress_number").get_to(status.progress.number);
  progress.at("work").get_to(status.progress.work);
  object.at("saved_state").get_to(status.saved_state);
  object.at("saving").get_to(status.saving);
  return status;
}

// Texts of exceptions may hold any bytes; a file that cannot be parsed would be worse than a replaced letter.
std::string dump(const Json& object) { return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

template <class Reader>
auto parse(std::string_view json, Reader reader) -> std::optional<decltype(reader(Json()))> {
  try {
    return reader(Json::parse(json));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string_view to_string(ExitStatus status) {
  switch (status) {
    case ExitStatus::good:
      return "it ended well";
    case ExitStatus::node_failed:
      return "a node failed";
    case ExitStatus::usage:
      return "the program, its plan or its options are wrong";
    case ExitStatus::rank_lost:
      return "a rank was lost";
    case ExitStatus::preempted:
      return "preempted, with a checkpoint";
    case ExitStatus::time_limit:
      return "the time limit was reached";
  }
  return "unknown";
}

std::string_view to_string(RunState state) { return state_names[static_cast<std::size_t>(state)]; }

std::string to_text(const FirstFailure& failure) {
  std::string text{to_string(failure.status)};
  text += ": ";
  if (!failure.node.empty()) text += "node " + failure.node + " on ";
  text += "rank " + std::to_string(failure.rank);
  if (!failure.host.empty()) text += " (host " + failure.host + ")";
  if (!failure.type.empty()) text += "\n  " + failure.type + (failure.text.empty() ? "" : ": " + failure.text);
  if (failure.type.empty() && !failure.text.empty()) text += "\n  " + failure.text;
  if (!failure.log_file.empty()) text += "\n  log: " + failure.log_file;
  return text;
}

std::string to_json(const RunStatus& status) { return dump(object_of(status)); }
std::string to_json(const FirstFailure& failure) { return dump(object_of(failure)); }

std::optional<RunStatus> parse_status(std::string_view json) { return parse(json, status_of); }
std::optional<FirstFailure> parse_failure(std::string_view json) { return parse(json, failure_of); }

std::optional<RunStatus> read_status(const fs::path& run_directory) {
  const auto json = read_file(run_directory / "status.json");
  return json ? parse_status(*json) : std::nullopt;
}

std::optional<FirstFailure> read_last_words(const fs::path& run_directory, std::uint32_t rank) {
  char name[48];
  std::snprintf(name, sizeof name, "rank-%05u.failure.json", rank);
  const auto json = read_file(run_directory / "logs" / name);
  return json ? parse_failure(*json) : std::nullopt;
}

std::optional<FirstFailure> read_first_last_words(const fs::path& run_directory) {
  std::optional<FirstFailure> first;
  fs::file_time_type first_time;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_directory / "logs", error)) {
    if (!entry.path().string().ends_with(".failure.json")) continue;
    const auto time = entry.last_write_time(error);
    if (error || (first && time >= first_time)) continue;
    const auto json = read_file(entry.path());
    auto failure = json ? parse_failure(*json) : std::nullopt;
    if (!failure) continue;
    first = std::move(failure);
    first_time = time;
  }
  return first;
}

StatusFile::StatusFile(RunDirectory directory, RunStatus initial)
    : directory_(std::move(directory)), status_(std::move(initial)) {
  const std::lock_guard lock(mutex_);
  if (status_.started == 0) status_.started = wall_now();
  write(Durability::process);
}

void StatusFile::set_state(RunState state) {
  const std::lock_guard lock(mutex_);
  if (status_.state == RunState::ended || state == status_.state) return;
  status_.state = state;
  write(Durability::process);
}

void StatusFile::set_stop_reason(std::string_view reason, bool finished) {
  const std::lock_guard lock(mutex_);
  if (status_.state == RunState::ended) return;
  status_.stop_reason = reason;
  status_.finished = finished;
}

bool StatusFile::set_failure(const FirstFailure& failure) {
  const std::lock_guard lock(mutex_);
  if (status_.state == RunState::ended || status_.first_failure) return false;
  status_.first_failure = failure;
  write(Durability::process);
  return true;
}

void StatusFile::set_progress(const RunProgress& progress) {
  const std::lock_guard lock(mutex_);
  status_.progress = progress;
}

void StatusFile::set_saving(std::uint32_t state) {
  const std::lock_guard lock(mutex_);
  if (status_.state == RunState::ended || status_.saving == state) return;
  status_.saving = state;
  write(Durability::process);
}

void StatusFile::set_saved(std::uint32_t state) {
  const std::lock_guard lock(mutex_);
  if (status_.state == RunState::ended) return;
  status_.saved_state = state;
  status_.saving = 0;
  write(Durability::process);
}

void StatusFile::beat() {
  const std::lock_guard lock(mutex_);
  if (status_.state != RunState::ended) write(Durability::process);
}

void StatusFile::end(ExitStatus status) {
  const std::lock_guard lock(mutex_);
  if (status_.state == RunState::ended) return;
  status_.state = RunState::ended;
  status_.exit_status = status;
  status_.saving = 0;
  status_.ended = wall_now();
  write(Durability::machine);
}

RunStatus StatusFile::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::uint64_t StatusFile::writes_failed() const {
  const std::lock_guard lock(mutex_);
  return writes_failed_;
}

void StatusFile::write(Durability durability) {
  status_.heartbeat = wall_now();
  try {
    directory_.write("status.json", to_json(status_), durability);
  } catch (const Error&) {
    ++writes_failed_;
  }
}

}  // namespace slipway
