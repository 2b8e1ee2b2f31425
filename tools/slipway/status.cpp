// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "run_state.hpp"
#include "slipway/observe/wall_clock.hpp"
#include "slipway/runtime/options.hpp"
#include "study_state.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

void line(std::string_view name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<14} {}\n", name, value);
}

std::string age_of(std::int64_t when) {
  constexpr std::int64_t second = 1'000'000'000;
  return format_duration(std::chrono::nanoseconds(std::max<std::int64_t>(wall_now() - when, 0) / second * second));
}

void print_scheduler(const RunView& run) {
  if (!run.job || run.job->ids.empty()) return;
  line("job", fmt::format("{} on machine {}", fmt::join(run.job->ids, ", "), run.job->machine));
  if (!run.scheduler) {
    line("scheduler", "does not know the job (any more), or is not here");
    return;
  }
  const SchedulerView& view = *run.scheduler;
  const bool has_reason = !view.reason.empty() && view.reason != "None";
  line("scheduler", view.state + (has_reason ? " (" + view.reason + ")" : ""));
  if (view.nodes != "(null)") line("hosts", view.nodes);
  if (view.restarts != "0") line("restarts", view.restarts);
}

void print_status(const RunStatus& status) {
  line("state",
       std::string(to_string(status.state)) + (status.attempt > 1 ? fmt::format(", attempt {}", status.attempt) : ""));
  if (status.exit_status) {
    line("exit status", fmt::format("{} ({})", static_cast<int>(*status.exit_status), to_string(*status.exit_status)));
  } else {
    line("heartbeat",
         age_of(status.heartbeat) + " ago" + (heartbeat_is_stale(status) ? ": the run seems to be dead" : ""));
  }
  line("started", format_time(status.started));
  line("ranks", std::to_string(status.ranks));
  line("workers done", fmt::format("{} of {}", status.progress.workers_done, status.progress.workers));
  line("calls", std::to_string(status.progress.calls));
  line("progress", status.progress.text);
  line("stop reason", status.stop_reason);
  if (status.first_failure) fmt::print("\n{}\n", to_text(*status.first_failure));
}

int print_text(const RunView& run) {
  line("run", run.directory.string());
  line("verdict", std::string(to_string(verdict_of(run))));
  print_scheduler(run);
  if (run.status) {
    print_status(*run.status);
  } else {
    line("state", "the program has not started yet");
  }
  return exit_status_of(run);
}

// Of an array: the run directories below this one, by their numbers.
std::vector<std::filesystem::path> elements_of(const std::filesystem::path& directory) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> numbered;
  if (std::filesystem::exists(directory / "status.json")) return {};
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && std::filesystem::exists(entry.path() / "status.json")) {
      numbered.emplace_back(std::stoull(name.substr(0, 18)), entry.path());
    }
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<std::filesystem::path> elements;
  for (auto& [number, path] : numbered) elements.push_back(std::move(path));
  return elements;
}

// The worst status of those that are there; elements that have not begun have no directory yet.
int print_elements(const std::vector<std::filesystem::path>& elements) {
  int worst = 0;
  for (const auto& element : elements) {
    const RunView run = look_at(element);
    fmt::print("{:<14} {}\n", "element " + element.filename().string(), to_string(verdict_of(run)));
    worst = std::max(worst, exit_status_of(run));
  }
  return worst;
}

int print_json(const RunView& run) {
  using Json = nlohmann::ordered_json;
  Json json{{"run_directory", run.directory.string()}, {"verdict", to_string(verdict_of(run))}};
  json["jobs"] = run.job ? Json(run.job->ids) : Json::array();
  json["scheduler"] = run.scheduler ? Json{{"state", run.scheduler->state},
                                           {"reason", run.scheduler->reason},
                                           {"nodes", run.scheduler->nodes},
                                           {"restarts", run.scheduler->restarts}}
                                    : Json();
  json["status"] = run.status ? Json::parse(to_json(*run.status)) : Json();
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  return exit_status_of(run);
}

}  // namespace

void add_status(CLI::App& app, Chosen& chosen) {
  auto* const verb = app.add_subcommand("status", "Says how a run stands or ended, and ends with its exit status.");
  const auto run = std::make_shared<std::string>("latest");
  const auto json = std::make_shared<bool>(false);
  verb->add_option("RUN", *run,
                   "the directory of a run or a study, or its name below runs/ or studies/; default: the latest run");
  verb->add_flag("--json", *json, "as JSON");
  verb->footer("\nExample: slipway status runs/train-20261129-195855-570d");
  verb->callback([&chosen, run, json] {
    chosen = [run, json] {
      if (const auto study = find_study(*run)) return print_points(*study, *study::read_study(*study));
      const auto directory = find_run(*run);
      if (const auto elements = elements_of(directory); !elements.empty() && !*json) return print_elements(elements);
      const RunView view = look_at(directory);
      return *json ? print_json(view) : print_text(view);
    };
  });
}

}  // namespace slipway::tool
