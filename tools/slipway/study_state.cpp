// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "run_state.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using slurm::Verdict;
using study::Outcome;

namespace {

bool is_alive(const RunView& run) {
  const Verdict verdict = verdict_of(run);
  return verdict == Verdict::waiting || verdict == Verdict::running;
}

PointView look_at_point(const fs::path& directory, study::Point point, bool series_is_alive) {
  const auto measured = study::measure(directory, point, 0);
  PointView view{point, directory, measured.outcome, false, measured.why};
  if (measured.outcome != Outcome::missing && measured.outcome != Outcome::going_on) return view;
  const RunView run = look_at(directory);
  if (measured.outcome == Outcome::missing) {
    const bool submitted = run.job && !run.job->ids.empty();
    view.queued = series_is_alive || (submitted && is_alive(run));
    if (submitted && !view.queued) {  // the scheduler is done with it, and no program has begun
      view.outcome = Outcome::failed;
      view.why = "its job ended before the program began: see the log in " + directory.string();
    }
  } else if (!is_alive(run)) {
    view.outcome = Outcome::failed;
    view.why = fmt::format("it has died: {}", to_string(verdict_of(run)));
  }
  return view;
}

}  // namespace

std::vector<PointView> look_at_points(const fs::path& study_directory, const study::Study& study) {
  const RunView series = look_at(study_directory);
  const bool series_is_alive = series.job && !series.job->ids.empty() && is_alive(series);
  std::vector<PointView> points;
  for (const auto& point : study.order) {
    points.push_back(look_at_point(directory_of(study_directory, study, point), point, series_is_alive));
  }
  return points;
}

int print_points(const fs::path& study_directory, const study::Study& study) {
  std::map<std::string, int> counts;
  bool all_well = true;
  fmt::print("{:<14} {}\n", "study", study_directory.string());
  for (const auto& view : look_at_points(study_directory, study)) {
    const std::string state = view.queued ? "waiting" : std::string(to_string(view.outcome));
    const bool well = view.outcome == Outcome::good || !view.at_rest();
    fmt::print("{:<14} {}{}\n", fmt::format("{} {}, run {}", study.unit, view.point.size, view.point.repeat), state,
               well || view.outcome == Outcome::missing ? "" : " (" + view.why + ")");
    ++counts[state];
    all_well = all_well && well;
  }
  std::string sum;
  for (const auto& [state, count] : counts) sum += fmt::format("{}{} {}", sum.empty() ? "" : ", ", count, state);
  fmt::print("{:<14} {}\n", "points", sum);
  return all_well ? 0 : 1;
}

std::optional<fs::path> find_study(const std::string& named) {
  std::vector<fs::path> places{named};
  if (named != "latest") places.push_back(fs::path("studies") / named);  // that is the latest run
  for (const auto& place : places) {
    if (study::read_study(place)) return fs::canonical(place);
  }
  return std::nullopt;
}

}  // namespace slipway::tool
