// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "slipway/observe/report.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "study/work_curves.hpp"

namespace slipway::study {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr double nanosecond = 1e-9;

Json read_json(const fs::path& file) {
  const auto text = read_file(file);
  return text ? Json::parse(*text, nullptr, false) : Json();
}

void read_placement(Measurement& measurement, const fs::path& file) try {
  const Json placement = read_json(file);
  for (const auto& host : placement.value("hosts", Json::array())) measurement.hosts.push_back(host.value("name", ""));
  const Json ranks = placement.value("ranks", Json::array());
  for (const auto& rank : ranks) measurement.gpus += rank.value("gpus", 0.0);
  if (!ranks.empty()) measurement.cores = ranks.front().value("cores", "");
} catch (const Json::exception&) {  // a damaged file tells less
}

void read_versions(Measurement& measurement, const fs::path& file) {
  const Json versions = read_json(file);
  if (!versions.is_object()) return;
  for (const auto& [what, version] : versions.items()) {
    if (version.is_string()) measurement.versions[what] = version;
  }
}

// What was done by the end of the warm-up, between the two samples that are around it.
double amount_at(double seconds, const WorkCurve& curve) {
  const auto after =
      std::find_if(curve.begin(), curve.end(), [=](const auto& sample) { return sample.first > seconds; });
  if (after == curve.begin() || after == curve.end()) return after == curve.end() ? curve.back().second : 0;
  const auto [time_after, amount_after] = *after;
  const auto [time_before, amount_before] = *std::prev(after);
  return std::lerp(amount_before, amount_after, (seconds - time_before) / (time_after - time_before));
}

void read_rates(Measurement& measurement, const Report& report, const fs::path& run_directory, double warm_up) {
  std::map<std::string, WorkCurve> curves;
  if (warm_up > 0) curves = read_work_curves(run_directory, 1, report);
  for (const auto& work : report.work) {
    const double seconds = static_cast<double>(work.time) * nanosecond;
    if (seconds <= warm_up) {
      measurement.no_rate[work.unit] = warm_up > 0 ? fmt::format("its last {} came after {:.3g} s, within the warm-up",
                                                                 work.unit, std::max(seconds, 0.0))
                                                   : fmt::format("its {} came before its workers began", work.unit);
      continue;
    }
    const double warm = warm_up > 0 ? amount_at(warm_up, curves.at(work.unit)) : 0;
    measurement.rates[work.unit] = (work.amount - warm) / (seconds - warm_up);
  }
}

Measurement without_times(Measurement measurement, Outcome outcome, std::string why) {
  measurement.outcome = outcome;
  measurement.why = std::move(why);
  return measurement;
}

// A run that has begun leaves the mark of its attempt before it says anything.
bool has_begun(const fs::path& run_directory) {
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(run_directory, absent)) {
    if (entry.path().filename().string().starts_with(".attempt-")) return true;
  }
  return false;
}

// Why its times mean nothing; empty: they are good.
std::string defect_of(const RunStatus& status, const Study& study, Point point) {
  if (status.attempt > 1) return "it went on in a second attempt, and did only a part there";
  const auto ranks = study.ranks.find(point.size);
  if (ranks == study.ranks.end() || ranks->second == status.ranks) return {};
  return fmt::format("it had {} ranks, and a run of this size has {}", status.ranks, ranks->second);
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  static constexpr std::array<std::string_view, 6> names{"good",    "missing", "going on",
                                                         "stopped", "failed",  "unusable"};
  return names[static_cast<std::size_t>(outcome)];
}

Measurement measure(const fs::path& study_directory, const Study& study, Point point, double warm_up) {
  const fs::path run_directory = directory_of(study_directory, study, point);
  Measurement measurement{.point = point, .directory = run_directory.string()};
  const auto status = read_status(run_directory);
  if (!status) {
    return has_begun(run_directory)
               ? without_times(measurement, Outcome::going_on, "it has begun, and said nothing yet")
               : without_times(measurement, Outcome::missing, "it has not begun");
  }
  measurement.ranks = status->ranks;
  measurement.started = status->started;
  read_placement(measurement, run_directory / "placement.json");
  read_versions(measurement, run_directory / "versions.json");
  if (!status->exit_status) return without_times(measurement, Outcome::going_on, "it has not ended");
  const ExitStatus ended = *status->exit_status;
  if (ended == ExitStatus::good ? !status->finished : ended == ExitStatus::preempted) {
    return without_times(measurement, Outcome::stopped, "before its end: " + status->stop_reason);
  }
  if (ended != ExitStatus::good) {
    return without_times(
        measurement, Outcome::failed,
        fmt::format("status {}: {}", static_cast<int>(ended),
                    status->first_failure ? to_text(*status->first_failure) : std::string(to_string(ended))));
  }
  const auto report = parse_report(read_file(run_directory / "report.json").value_or(""));
  if (!report) return without_times(measurement, Outcome::unusable, "its report.json cannot be read");
  if (const auto defect = defect_of(*status, study, point); !defect.empty()) {
    return without_times(measurement, Outcome::unusable, defect);
  }
  measurement.outcome = Outcome::good;
  measurement.starting = static_cast<double>(report->starting) * nanosecond;
  measurement.running = static_cast<double>(report->running) * nanosecond;
  measurement.stopping = static_cast<double>(report->wall_time - report->starting - report->running) * nanosecond;
  read_rates(measurement, *report, run_directory, warm_up);
  return measurement;
}

}  // namespace slipway::study
