// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "arguments.hpp"
#include "figure.hpp"
#include "job_record.hpp"
#include "run_report.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "study/page.hpp"
#include "study/scaling.hpp"
#include "study/tables.hpp"
#include "study_state.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using study::Measurement;
using study::Metric;
using study::ScalingTable;
using study::Study;

namespace {

struct ReportChoice {
  std::string named;
  std::string metric;
  double warm_up = 0;
  bool json = false;
  bool no_figure = false;
};

// By size, then in the order of the runs.
std::vector<Measurement> measure_all(const StudyView& view) {
  std::vector<Measurement> measurements;
  for (const auto& point : view.points) measurements.push_back(point.run);
  std::sort(measurements.begin(), measurements.end(), [](const Measurement& left, const Measurement& right) {
    return std::pair(left.point.size, left.point.repeat) < std::pair(right.point.size, right.point.repeat);
  });
  return measurements;
}

Metric chosen_metric(const ReportChoice& choice, const std::vector<Measurement>& measurements) {
  const Metric metric = choice.metric.empty() ? usual_metric(measurements) : Metric{choice.metric};
  if (metric.work != "time") return metric;
  return {};
}

study::PageTable summary_table(const ScalingTable& table) {
  auto lines = lines_of(table);
  study::PageTable summary{"Medians of the good runs of each size", lines.front(), {}};
  summary.lines.assign(lines.begin() + 1, lines.end());
  return summary;
}

study::PageTable runs_table(const Study& study, const std::vector<Measurement>& measurements) {
  study::PageTable runs{
      "All runs", {study.unit, "run", "outcome", "starting (s)", "running (s)", "stopping (s)", "hosts"}, {}};
  for (const auto& run : measurements) {
    runs.lines.push_back({std::to_string(run.point.size), std::to_string(run.point.repeat),
                          std::string(to_string(run.outcome)), fmt::format("{:.3g}", run.starting),
                          fmt::format("{:.4g}", run.running), fmt::format("{:.3g}", run.stopping),
                          fmt::format("{}", fmt::join(run.hosts, " "))});
  }
  return runs;
}

std::string caption_of(const Study& study, const ScalingTable& table) {
  return fmt::format(
      "Left: {} at each size, all runs, with medians and quartiles; dashed: ideal. Middle: efficiency. Right: where "
      "the "
      "time went. {}; command: {}",
      table.metric.name(), title_of(study, table), fmt::format("{}", fmt::join(study.command, " ")));
}

int report_study(const fs::path& directory, const ReportChoice& choice) {
  const StudyView view = look_at_study(directory, choice.warm_up);
  const Study& study = view.study;
  const auto measurements = measure_all(view);
  const Metric metric = chosen_metric(choice, measurements);
  if (metric.is_time() && choice.warm_up > 0) {
    throw UsageError("--warm-up leaves work out (and what is compared is the time). Choose --metric, or leave it out");
  }
  const ScalingTable table = scaling_table(study, measurements, metric);
  const std::string method = method_text(study, measurements, table, choice.warm_up);
  const std::string json = to_json(study, measurements, table, method);
  if (table.rows.empty()) {
    fmt::print("{}", choice.json ? json : to_text(study, measurements, table));
    return static_cast<int>(ExitStatus::node_failed);
  }
  const fs::path out = directory / "report";
  fs::create_directories(out);
  for (const char* const old : {"scaling.svg", "scaling.png"}) fs::remove(out / old);  // they may show another metric
  write_file_atomically(out / "summary.csv", summary_csv(table));
  write_file_atomically(out / "runs.csv", runs_csv(study, measurements));
  write_file_atomically(out / "report.json", json);
  write_file_atomically(out / "method.txt", method + "\n");
  const Figure figure = choice.no_figure ? Figure{} : draw_figure(out / "report.json", out / "scaling");
  study::Page page{.title = title_of(study, table),
                   .figure_svg = figure.svg,
                   .figure_caption = caption_of(study, table),
                   .tables = {summary_table(table), runs_table(study, measurements)},
                   .remarks = remarks_on(study, measurements, table),
                   .method = method};
  write_file_atomically(out / "report.html", to_html(page));
  if (!figure.why_not.empty()) fmt::print(stderr, "slipway: warning: {}\n", figure.why_not);
  fmt::print("{}", choice.json ? json : to_text(study, measurements, table));
  if (!choice.json) fmt::print("report: {}\n", (out / "report.html").string());
  return 0;
}

int report(const ReportChoice& choice) {
  if (!(choice.warm_up >= 0)) throw UsageError("--warm-up must be a number of seconds from 0 on");
  if (const auto study = find_study(choice.named)) return report_study(*study, choice);
  if (!choice.metric.empty() || choice.warm_up > 0) {
    throw UsageError("--metric and --warm-up are for studies, and " + choice.named + " is a run. Leave them out");
  }
  return report_run(find_run(choice.named), {.json = choice.json, .figure = !choice.no_figure});
}

}  // namespace

void add_report(Arguments& arguments) {
  Verb verb = arguments.add_verb("report", "Makes tables, a figure and a page of a study, or of a run.");
  const auto choice = std::make_shared<ReportChoice>();
  verb.add("STUDY|RUN", &choice->named, "the directory, or its name below studies/ or runs/", {.required = true});
  verb.add("--metric", &choice->metric,
           "what is compared: time, or a unit of the program's work; default: its work, if it is of one kind");
  verb.add("--warm-up", &choice->warm_up, "seconds from the start whose work does not count for rates");
  verb.add("--json", &choice->json, "print report.json instead of the table");
  verb.add("--no-figure", &choice->no_figure, "do not draw");
  verb.set_examples("Example: slipway report studies/train-20261130-101500 --warm-up 10");
  verb.set_work([choice] { return report(*choice); });
}

}  // namespace slipway::tool
