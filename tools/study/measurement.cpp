// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/measurement.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "slipway/base/text.hpp"
#include "slipway/observe/report.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"

namespace slipway::study {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr double nanosecond = 1e-9;

Json read_json(const fs::path& file) {
  const auto text = read_file(file);
  return text ? Json::parse(*text, nullptr, false) : Json();
}

void read_placement(Measurement& measurement, const fs::path& file) {
  const Json placement = read_json(file);
  if (!placement.is_object()) return;
  for (const auto& host : placement.value("hosts", Json::array())) measurement.hosts.push_back(host.value("name", ""));
  const Json ranks = placement.value("ranks", Json::array());
  for (const auto& rank : ranks) measurement.gpus += rank.value("gpus", 0.0);
  if (!ranks.empty()) measurement.cores = ranks.front().value("cores", "");
}

void read_versions(Measurement& measurement, const fs::path& file) {
  const Json versions = read_json(file);
  if (!versions.is_object()) return;
  for (const auto& [what, version] : versions.items()) {
    if (version.is_string()) measurement.versions[what] = version;
  }
}

// What was done of a unit by the end of the warm-up, between the two samples (events/work.csv) that are around it.
// `last`: the end of the last sample's line, which is the report's own.
double amount_at(double seconds, const fs::path& samples, const ReportedWork& last) {
  double before = 0;
  double amount_before = 0;
  double after = static_cast<double>(last.time) * nanosecond;
  double amount_after = last.amount;
  const std::string text = read_file(samples).value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() != 4 || cells[2] != last.unit) continue;
    const double when = std::atof(std::string(cells[1]).c_str());
    const double amount = std::atof(std::string(cells[3]).c_str());
    if (when <= seconds && when >= before) {
      before = when;
      amount_before = amount;
    } else if (when > seconds && when < after) {
      after = when;
      amount_after = amount;
    }
  }
  if (after <= before) return amount_before;
  return std::lerp(amount_before, amount_after, (seconds - before) / (after - before));
}

void read_rates(Measurement& measurement, const Report& report, const fs::path& samples, double warm_up) {
  for (const auto& work : report.work) {
    const double seconds = static_cast<double>(work.time) * nanosecond;
    if (seconds <= warm_up) {
      measurement.outcome = Outcome::unusable;
      measurement.why = fmt::format("its last {} came after {:.3g} s, within the warm-up", work.unit, seconds);
      return;
    }
    const double warm = warm_up > 0 ? amount_at(warm_up, samples, work) : 0;
    measurement.rates[work.unit] = (work.amount - warm) / (seconds - warm_up);
  }
}

Measurement without_times(Measurement measurement, Outcome outcome, std::string why) {
  measurement.outcome = outcome;
  measurement.why = std::move(why);
  return measurement;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  static constexpr std::array<std::string_view, 5> names{"good", "missing", "going on", "failed", "unusable"};
  return names[static_cast<std::size_t>(outcome)];
}

Measurement measure(const fs::path& run_directory, Point point, double warm_up) {
  Measurement measurement{.point = point, .directory = run_directory.string()};
  const auto status = read_status(run_directory);
  if (!status) return without_times(measurement, Outcome::missing, "it has not begun");
  measurement.ranks = status->ranks;
  measurement.started = status->started;
  read_placement(measurement, run_directory / "placement.json");
  read_versions(measurement, run_directory / "versions.json");
  if (!status->exit_status) return without_times(measurement, Outcome::going_on, "it has not ended");
  if (*status->exit_status != ExitStatus::good) {
    return without_times(measurement, Outcome::failed,
                         fmt::format("status {}: {}", static_cast<int>(*status->exit_status),
                                     status->first_failure ? to_text(*status->first_failure)
                                                           : std::string(to_string(*status->exit_status))));
  }
  if (!status->finished) return without_times(measurement, Outcome::failed, "it was stopped: " + status->stop_reason);
  if (status->attempt > 1) {
    return without_times(measurement, Outcome::unusable, "it went on in a second attempt, and did only a part there");
  }
  const auto report = parse_report(read_file(run_directory / "report.json").value_or(""));
  if (!report) return without_times(measurement, Outcome::unusable, "its report.json cannot be read");
  measurement.outcome = Outcome::good;
  measurement.starting = static_cast<double>(report->starting) * nanosecond;
  measurement.running = static_cast<double>(report->running) * nanosecond;
  measurement.stopping = static_cast<double>(report->wall_time - report->starting - report->running) * nanosecond;
  read_rates(measurement, *report, run_directory / "events" / "work.csv", warm_up);
  return measurement;
}

}  // namespace slipway::study
