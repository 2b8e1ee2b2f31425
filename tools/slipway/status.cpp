// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "array_run.hpp"
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
  line("saved state", status.saved_state > 0 ? std::to_string(status.saved_state) : "");
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

int print_text(const ArrayRun& array) {
  line("run", array.directory.string());
  line("verdict", std::string(to_string(verdict_of(array))));
  if (array.job && !array.job->ids.empty())
    line("job", fmt::format("{} on machine {}", fmt::join(array.job->ids, ", "), array.job->machine));
  for (const auto& element : array.elements) {
    line(fmt::format("element {}", element.index), std::string(to_string(verdict_of(element.run))));
  }
  return exit_status_of(array);
}

using Json = nlohmann::ordered_json;

Json scheduler_json(const std::optional<SchedulerView>& view) {
  if (!view) return {};
  return {{"state", view->state}, {"reason", view->reason}, {"nodes", view->nodes}, {"restarts", view->restarts}};
}

Json status_json(const std::optional<RunStatus>& status) { return status ? Json::parse(to_json(*status)) : Json(); }

void print(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

int print_json(const RunView& run) {
  print({{"run_directory", run.directory.string()},
         {"verdict", to_string(verdict_of(run))},
         {"jobs", run.job ? Json(run.job->ids) : Json::array()},
         {"scheduler", scheduler_json(run.scheduler)},
         {"status", status_json(run.status)}});
  return exit_status_of(run);
}

int print_json(const ArrayRun& array) {
  Json elements = Json::array();
  for (const auto& [index, run] : array.elements) {
    elements.push_back({{"index", index},
                        {"run_directory", run.directory.string()},
                        {"verdict", to_string(verdict_of(run))},
                        {"exit_status", exit_status_of(run)},
                        {"scheduler", scheduler_json(run.scheduler)},
                        {"status", status_json(run.status)}});
  }
  print({{"run_directory", array.directory.string()},
         {"verdict", to_string(verdict_of(array))},
         {"exit_status", exit_status_of(array)},
         {"jobs", array.job ? Json(array.job->ids) : Json::array()},
         {"elements", std::move(elements)}});
  return exit_status_of(array);
}

template <class Run>
int print(const Run& run, bool as_json) {
  return as_json ? print_json(run) : print_text(run);
}

}  // namespace

void add_status(Arguments& arguments) {
  Verb verb = arguments.add_verb(
      "status", "Says how a run stands or ended, and ends with its exit status; of an array, with the worst.");
  const auto run = std::make_shared<std::string>("latest");
  const auto json = std::make_shared<bool>(false);
  verb.add("RUN", run.get(),
           "the directory of a run or a study, or its name below runs/ or studies/; default: the latest run");
  verb.add("--json", json.get(), "as JSON");
  verb.set_examples("Example: slipway status runs/train-20261129-195855-570d");
  verb.set_work([run, json] {
    if (const auto study = *run == "latest" ? std::nullopt : find_study(*run)) {
      return print_points(look_at_study(*study), *json);
    }
    const auto directory = find_run(*run);
    if (const auto array = look_at_array(directory)) return print(*array, *json);
    return print(look_at(directory), *json);
  });
}

}  // namespace slipway::tool
