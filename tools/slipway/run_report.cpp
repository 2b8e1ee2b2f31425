// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "run_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "figure.hpp"
#include "run_state.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/report.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/wall_clock.hpp"
#include "study/page.hpp"
#include "study/tables.hpp"
#include "study/work_curves.hpp"
#include "task_history/history.hpp"
#include "task_history/summary.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

std::string nodes_csv(const Report& report) {
  std::string text =
      study::csv_line({"node", "rank", "calls", "failed", "busy_s", "waiting_s", "bytes_in", "bytes_out"});
  const auto seconds = [](std::uint64_t nanoseconds) {
    return fmt::format("{:.6f}", static_cast<double>(nanoseconds) * 1e-9);
  };
  for (const auto& row : report.rows) {
    text += study::csv_line({row.node, std::to_string(row.rank), std::to_string(row.counts.calls),
                             std::to_string(row.counts.failed), seconds(row.counts.busy), seconds(row.counts.waiting),
                             std::to_string(row.counts.bytes_in), std::to_string(row.counts.bytes_out)});
  }
  return text;
}

std::string phases_of(const Report& report) {
  return fmt::format("starting {}, running {}, stopping {}", short_time(report.starting), short_time(report.running),
                     short_time(report.wall_time - report.starting - report.running));
}

study::PageTable nodes_table(const Report& report) {
  study::PageTable table{"What each node did", {"node", "rank", "calls", "failed", "busy", "waiting", "in", "out"}, {}};
  for (const auto& row : report.rows) {
    table.lines.push_back({row.node, std::to_string(row.rank), short_count(row.counts.calls),
                           short_count(row.counts.failed), short_time(static_cast<std::int64_t>(row.counts.busy)),
                           short_time(static_cast<std::int64_t>(row.counts.waiting)), short_bytes(row.counts.bytes_in),
                           short_bytes(row.counts.bytes_out)});
  }
  return table;
}

study::PageTable tasks_table(const task_history::Summary& tasks) {
  study::PageTable table{"What tasks did",
                         {"function", "tasks", "failed", "not over", "time", "on a core", "longest", "on other ranks"},
                         {}};
  const auto whole = [](double nanoseconds) { return static_cast<std::int64_t>(nanoseconds); };
  for (const auto& [name, sums] : tasks.functions) {
    table.lines.push_back({name, short_count(sums.tasks), short_count(sums.failed), short_count(sums.tasks - sums.over),
                           short_time(whole(sums.running)), short_time(whole(sums.processor_time)),
                           short_time(whole(sums.longest)), short_count(sums.elsewhere)});
  }
  return table;
}

study::Page page_of(const RunView& run, const Report& report, const task_history::Summary& tasks,
                    const Figure& figure) {
  const RunStatus& status = *run.status;
  study::Page page{.title = fmt::format("{}: {}", report.program, to_string(verdict_of(run))),
                   .paragraphs = {fmt::format("{}. Started {}, {} ranks, attempt {}.", run.directory.string(),
                                              format_time(status.started), status.ranks, status.attempt),
                                  fmt::format("It ran {}: {}.", short_time(report.wall_time), phases_of(report))},
                   .figure_svg = figure.svg,
                   .figure_caption = "How the work grew",
                   .tables = {}};
  if (status.first_failure) page.remarks.push_back(to_text(*status.first_failure));
  if (!report.work.empty()) {
    study::PageTable work{"Work", {"unit", "amount", "time", "per second"}, {}};
    for (const auto& of_unit : report.work) {
      work.lines.push_back(
          {of_unit.unit, short_amount(of_unit.amount), short_time(of_unit.time), short_amount(of_unit.rate())});
    }
    page.tables.push_back(std::move(work));
  }
  page.tables.push_back(nodes_table(report));
  if (tasks.all.tasks > 0) page.tables.push_back(tasks_table(tasks));
  return page;
}

}  // namespace

int report_run(const fs::path& run_directory, const RunReportChoice& choice) {
  const RunView run = look_at(run_directory);
  const std::string text = read_file(run_directory / "report.json").value_or("");
  const auto report = parse_report(text);
  if (!run.status || !report) {
    throw UsageError(run_directory.string() +
                     " has no report (a run writes it at its end). See slipway status for how the run stands");
  }
  const auto history = task_history::history_if_any(run_directory, run.status->attempt);
  const auto tasks = task_history::summarize(history);
  const fs::path out = run_directory / "report";
  fs::create_directories(out);
  write_file_atomically(out / "nodes.csv", nodes_csv(*report));
  Json json = Json::parse(text);
  json["kind"] = "work";
  if (tasks.all.tasks > 0) json["tasks"] = Json::parse(task_history::to_json(history, tasks));
  json["samples"] = study::read_work_curves(run_directory, run.status->attempt, *report);
  write_file_atomically(out / "report.json", json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  for (const char* const old : {"work.svg", "work.png"}) fs::remove(out / old);
  const bool draws = choice.figure && !report->work.empty();
  const Figure figure = draws ? draw_figure(out / "report.json", out / "work") : Figure{};
  write_file_atomically(out / "report.html", to_html(page_of(run, *report, tasks, figure)));
  if (!figure.why_not.empty()) fmt::print(stderr, "slipway: warning: {}\n", figure.why_not);
  if (choice.json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}  {}\n", to_text(*report), phases_of(*report));
    if (tasks.all.tasks > 0) fmt::print("\n{}\n", task_history::functions_text(tasks));
    fmt::print("report: {}\n", (out / "report.html").string());
  }
  return 0;
}

}  // namespace slipway::tool
