// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study_state.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "job_record.hpp"
#include "run_state.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using slurm::Verdict;
using study::Outcome;

namespace {

bool is_alive(Verdict verdict) { return verdict == Verdict::waiting || verdict == Verdict::running; }

// What is known of the job that is to run a point.
struct JobOfPoint {
  bool submitted = false;
  bool shared = false;             // with all other points: its end says nothing about this one
  bool answered = false;           // the scheduler has
  std::optional<Verdict> verdict;  // nothing where it knows the job no more

  bool may_live() const { return submitted && (!answered || (verdict && is_alive(*verdict))); }
};

std::vector<std::string> ids_in(const fs::path& directory) {
  const auto record = read_record(directory);
  return record ? record->ids : std::vector<std::string>();
}

JobOfPoint job_of(const std::vector<std::string>& ids, bool shared, const SchedulerAnswer& answer) {
  JobOfPoint job{.submitted = !ids.empty(), .shared = shared, .answered = answer.came, .verdict = {}};
  if (ids.empty()) return job;
  const auto known = answer.verdicts.find(ids.back());
  if (known != answer.verdicts.end()) job.verdict = known->second;
  return job;
}

void set(PointView& view, Outcome outcome, std::string why) {
  view.run.outcome = outcome;
  view.run.why = std::move(why);
}

void judge_missing(PointView& view, const JobOfPoint& job) {
  view.queued = job.may_live();
  if (view.queued) view.run.why = job.answered ? "its turn has not come" : "the scheduler does not answer for its job";
  // A job that was cancelled before it began, or is forgotten, can be submitted again.
  if (!job.shared && !view.queued && job.verdict && *job.verdict != Verdict::cancelled) {
    set(view, Outcome::failed, fmt::format("its job ended as {} before the program began", to_string(*job.verdict)));
  }
}

void judge_going_on(PointView& view, const JobOfPoint& job) {
  const auto status = read_status(view.run.directory);
  const bool beats = status && !heartbeat_is_stale(*status);
  if (job.submitted ? job.may_live() : beats) return;
  set(view, Outcome::failed, "it has died without a word");
}

}  // namespace

StudyView look_at_study(const fs::path& directory, double warm_up) {
  StudyView view{directory, *study::read_study(directory), {}, {}, {}};
  const auto series = ids_in(directory);
  std::vector<std::string> all = series;
  for (const auto& point : view.study.order) {
    auto& run = view.points.emplace_back(PointView{measure(directory, view.study, point, warm_up), false}).run;
    run.jobs = series.empty() ? ids_in(run.directory) : series;
    const bool open = run.outcome == Outcome::missing || run.outcome == Outcome::going_on;
    if (open && series.empty()) all.insert(all.end(), run.jobs.begin(), run.jobs.end());
  }
  const SchedulerAnswer answer = ask_scheduler(all);
  for (const auto& [id, verdict] : answer.verdicts) {
    if (verdict == Verdict::waiting) view.waiting.push_back(id);
    if (verdict == Verdict::running) view.running.push_back(id);
  }
  for (auto& point : view.points) {
    const JobOfPoint job = job_of(point.run.jobs, !series.empty(), answer);
    if (point.run.outcome == Outcome::missing) judge_missing(point, job);
    if (point.run.outcome == Outcome::going_on) judge_going_on(point, job);
  }
  return view;
}

int print_points(const StudyView& view, bool as_json) {
  std::map<std::string, int> counts;
  bool all_well = true;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string lines;
  for (const auto& point : view.points) {
    const std::string state = point.queued ? "waiting" : std::string(to_string(point.run.outcome));
    const bool well = point.run.outcome == Outcome::good || !point.at_rest();
    const bool told = point.queued || (!well && point.run.outcome != Outcome::missing);
    const std::string why = told ? " (" + point.run.why + ")" : "";
    lines += fmt::format("{:<16} {}{}\n", point_text(point.run.point, view.study.unit), state, why);
    list.push_back({{"size", point.run.point.size},
                    {"repeat", point.run.point.repeat},
                    {"state", state},
                    {"why", point.run.why},
                    {"directory", point.run.directory},
                    {"jobs", point.run.jobs}});
    ++counts[state];
    all_well = all_well && well;
  }
  if (as_json) {
    const nlohmann::ordered_json json{{"study", view.directory.string()}, {"counts", counts}, {"points", list}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return all_well ? 0 : 1;
  }
  std::string sum;
  for (const auto& [state, count] : counts) sum += fmt::format("{}{} {}", sum.empty() ? "" : ", ", count, state);
  fmt::print("{:<16} {}\n{}{:<16} {}\n", "study", view.directory.string(), lines, "points", sum);
  return all_well ? 0 : 1;
}

std::optional<fs::path> find_study(const std::string& named) {
  for (const fs::path& place : {fs::path(named), fs::path("studies") / named}) {
    if (study::read_study(place)) return fs::canonical(place);
  }
  return std::nullopt;
}

}  // namespace slipway::tool
