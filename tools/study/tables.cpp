// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "slipway/observe/report.hpp"
#include "slipway/observe/wall_clock.hpp"

namespace slipway::study {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t enough_runs = 5;        // for a median that means something
constexpr std::size_t enough_of_largest = 3;  // where a run is dear

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char letter : text) cell += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return cell + '"';
}

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t column = 0; column < line.size(); ++column) {
      widths[column] = std::max(widths[column], line[column].size());
    }
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t column = 0; column < line.size(); ++column) {
      text += fmt::format("  {:>{}}", line[column], widths[column]);
    }
    text += '\n';
  }
  return text;
}

std::set<std::string> differing_versions(const std::vector<Measurement>& measurements) {
  std::map<std::string, std::set<std::string>> seen;
  for (const auto& run : measurements) {
    if (run.outcome != Outcome::good) continue;
    for (const auto& [what, version] : run.versions) {
      if (what != "transport") seen[what].insert(version);  // it tells the size as well
    }
  }
  std::set<std::string> differing;
  for (const auto& [what, versions] : seen) {
    if (versions.size() > 1) differing.insert(what);
  }
  return differing;
}

const Measurement* first_good(const std::vector<Measurement>& measurements) {
  const auto found = std::find_if(measurements.begin(), measurements.end(),
                                  [](const Measurement& run) { return run.outcome == Outcome::good; });
  return found == measurements.end() ? nullptr : &*found;
}

Json json_of(const Row& row) {
  Json json{{"size", row.size},
            {"ranks", row.ranks},
            {"gpus", row.gpus},
            {"values", row.values},
            {"outliers", row.outliers},
            {"median", row.median},
            {"lower", row.lower},
            {"upper", row.upper},
            {"starting", row.starting},
            {"running", row.running},
            {"stopping", row.stopping},
            {"speedup", row.speedup},
            {"efficiency", row.efficiency}};
  json["serial_fraction"] = row.serial_fraction ? Json(*row.serial_fraction) : Json();
  return json;
}

Json json_of(const Measurement& run) {
  return {{"size", run.point.size},  {"repeat", run.point.repeat}, {"outcome", to_string(run.outcome)},
          {"why", run.why},          {"jobs", run.jobs},           {"directory", run.directory},
          {"started", run.started},  {"ranks", run.ranks},         {"gpus", run.gpus},
          {"hosts", run.hosts},      {"cores", run.cores},         {"starting", run.starting},
          {"running", run.running},  {"stopping", run.stopping},   {"rates", run.rates},
          {"versions", run.versions}};
}

// What ran, how often, how.
std::string sentences_on_runs(const Study& study, const std::vector<Measurement>& measurements,
                              const ScalingTable& table) {
  static constexpr const char* how[] = {"each as a job of its own", "as steps of one job", "one after the other"};
  std::string sizes;
  for (const auto& row : table.rows) {
    sizes += fmt::format("{}{} ({})", sizes.empty() ? "" : ", ", row.size, row.values.size());
  }
  const auto not_counted = static_cast<std::size_t>(std::count_if(
      measurements.begin(), measurements.end(), [&table](const Measurement& run) { return !has(run, table.metric); }));
  std::string text = fmt::format(
      "We measured the {} scaling of {} ({}) on {} '{}'. The sizes, in {}, and how often each was run: {}. The runs "
      "were "
      "made {}, in an order shuffled with seed {}",
      to_string(study.scaling), study.name, fmt::join(study.command, " "),
      study.runner == Runner::local ? "the computer" : "the machine", study.machine, study.unit, sizes,
      how[static_cast<std::size_t>(study.runner)], study.seed);
  if (study.one_at_a_time) text += ", never two at a time";
  text += ".";
  if (not_counted > 0) text += fmt::format(" {} more runs failed or are missing, and do not count.", not_counted);
  return text;
}

std::string sentences_on_numbers(const Study& study, const ScalingTable& table, double warm_up) {
  std::string text;
  if (table.metric.is_time()) {
    text =
        " Times are those of the running program, from the start of its workers to the beginning of its end; the "
        "start, "
        "from that of the process, and the end are given apart, without the launcher and the queue.";
  } else {
    text = fmt::format(" Rates are {} over the time from the start of the workers to the last report of work",
                       table.metric.name());
    text += warm_up > 0 ? fmt::format("; the first {:g} s are a warm-up, and left out.", warm_up)
                        : "; no warm-up is left out.";
  }
  const Row& base = table.rows.front();
  const char* const of_time = study.scaling == Scaling::strong ? "S = T(b)/T(p)" : "S = (p/b) T(b)/T(p)";
  return text +
         fmt::format(
             " We give medians with the first and the third quartile (linear interpolation between order "
             "statistics). No run was left out as an outlier; those beyond 1.5 interquartile ranges are named. "
             "The base case b is {} ({}). Speed-up is {}, efficiency S b/p, and the serial fraction that of Karp "
             "and Flatt, (1/S - 1/n)/(1 - 1/n) with n = p/b.",
             amount_text(base.size, study.unit), value_text(base.median, table.metric),
             table.metric.is_time() ? of_time : "S = R(p)/R(b)");
}

std::string sentences_on_software(const Study& study, const std::vector<Measurement>& measurements) {
  const Measurement* const run = first_good(measurements);
  if (!run) return {};
  std::string text = " A rank could use the cores " + (run->cores.empty() ? "of its host" : run->cores);
  text += study.binding.empty() ? "." : fmt::format(" (binding: {}).", study.binding);
  std::string versions;
  for (const auto& [what, version] : run->versions) {
    versions += fmt::format("{}{}: {}", versions.empty() ? "" : "; ", what, version);
  }
  text += " Software of the first good run: " + versions + ".";
  if (!study.modules.empty()) text += " Modules: " + study.modules + ".";
  return text;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) line += (line.empty() ? "" : ",") + csv_cell(cell);
  return line + "\r\n";
}

std::string value_text(double value, const Metric& metric) {
  if (metric.is_time()) return short_time(static_cast<std::int64_t>(value * 1e9));
  return short_amount(value) + " " + metric.name();
}

std::string title_of(const Study& study, const ScalingTable& table) {
  const std::string what = fmt::format("{} scaling of {}", to_string(study.scaling), study.name);
  if (table.rows.empty()) return what + ": no run has ended well";
  const Row& base = table.rows.front();
  return fmt::format("{}, base {}: {}", what, amount_text(base.size, table.unit),
                     value_text(base.median, table.metric));
}

std::vector<std::vector<std::string>> lines_of(const ScalingTable& table) {
  const bool has_ranks = table.unit != "ranks";
  const bool has_gpus = std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.gpus > 0; });
  const auto value = [&table](double of) {
    return table.metric.is_time() ? value_text(of, table.metric) : short_amount(of);
  };
  std::vector<std::vector<std::string>> lines{{table.unit}};
  if (has_ranks) lines[0].push_back("ranks");
  if (has_gpus) lines[0].push_back("GPUs");
  lines[0].insert(lines[0].end(), {"runs", table.metric.is_time() ? "median time" : "median " + table.metric.name(),
                                   "quartiles", "speed-up", "efficiency", "serial fraction"});
  for (const auto& row : table.rows) {
    std::vector<std::string> cells{std::to_string(row.size)};
    if (has_ranks) cells.push_back(std::to_string(row.ranks));
    if (has_gpus) cells.push_back(fmt::format("{:g}", row.gpus));
    cells.insert(cells.end(),
                 {std::to_string(row.values.size()), value(row.median), value(row.lower) + " .. " + value(row.upper),
                  fmt::format("{:.2f}", row.speedup), fmt::format("{:.0f} %", 100 * row.efficiency),
                  row.serial_fraction ? fmt::format("{:.3f}", *row.serial_fraction) : "-"});
    lines.push_back(std::move(cells));
  }
  return lines;
}

std::vector<std::string> remarks_on(const Study& study, const std::vector<Measurement>& measurements,
                                    const ScalingTable& table) {
  std::vector<std::string> remarks;
  for (const auto& run : measurements) {
    if (has(run, table.metric)) continue;
    const auto no_rate = run.no_rate.find(table.metric.work);
    const std::string why = run.outcome != Outcome::good   ? run.why
                            : no_rate == run.no_rate.end() ? "it reports no " + table.metric.work
                                                           : no_rate->second;
    remarks.push_back(fmt::format("{}: {} ({})", point_text(run.point, study.unit), to_string(run.outcome), why));
  }
  for (const auto& row : table.rows) {
    if (!row.outliers.empty()) {
      remarks.push_back(fmt::format("{}: {} of {} runs lie beyond 1.5 interquartile ranges (they count all the same)",
                                    amount_text(row.size, study.unit), row.outliers.size(), row.values.size()));
    }
    const std::size_t enough = &row == &table.rows.back() ? enough_of_largest : enough_runs;
    if (row.values.size() < enough) {
      remarks.push_back(fmt::format("{}: {} good runs are few; {} or more are usual", amount_text(row.size, study.unit),
                                    row.values.size(), enough));
    }
  }
  for (const auto& what : differing_versions(measurements)) {
    remarks.push_back("the runs differ in the version of " + what + ": compare them with care");
  }
  return remarks;
}

std::string to_text(const Study& study, const std::vector<Measurement>& measurements, const ScalingTable& table) {
  std::string text = title_of(study, table) + "\n";
  if (!table.rows.empty()) text += aligned(lines_of(table));
  for (const auto& remark : remarks_on(study, measurements, table)) text += "  note: " + remark + "\n";
  return text;
}

std::string summary_csv(const ScalingTable& table) {
  std::string text =
      csv_line({"size", "unit", "ranks", "gpus", "runs", "metric", "median", "lower_quartile", "upper_quartile", "speedup",
                "efficiency", "serial_fraction", "starting_s", "running_s", "stopping_s"});
  for (const auto& row : table.rows) {
    text += csv_line({std::to_string(row.size), table.unit, std::to_string(row.ranks), number(row.gpus),
                      std::to_string(row.values.size()), table.metric.name(), number(row.median), number(row.lower),
                      number(row.upper), number(row.speedup), number(row.efficiency),
                      row.serial_fraction ? number(*row.serial_fraction) : "", number(row.starting),
                      number(row.running), number(row.stopping)});
  }
  return text;
}

std::string runs_csv(const Study& study, const std::vector<Measurement>& measurements) {
  std::set<std::string> units;
  for (const auto& run : measurements) {
    for (const auto& [unit, rate] : run.rates) units.insert(unit);
  }
  std::vector<std::string> heads{"size",    "unit",       "repeat",    "outcome",    "ranks", "gpus",
                                 "started", "starting_s", "running_s", "stopping_s", "hosts", "why"};
  for (const auto& unit : units) heads.push_back(unit + "_per_s");
  std::string text = csv_line(heads);
  for (const auto& run : measurements) {
    std::vector<std::string> cells{std::to_string(run.point.size),
                                   study.unit,
                                   std::to_string(run.point.repeat),
                                   std::string(to_string(run.outcome)),
                                   std::to_string(run.ranks),
                                   number(run.gpus),
                                   run.started == 0 ? "" : format_time(run.started),
                                   number(run.starting),
                                   number(run.running),
                                   number(run.stopping),
                                   fmt::format("{}", fmt::join(run.hosts, " ")),
                                   run.why};
    for (const auto& unit : units) {
      const auto rate = run.rates.find(unit);
      cells.push_back(rate == run.rates.end() ? "" : number(rate->second));
    }
    text += csv_line(cells);
  }
  return text;
}

std::string to_json(const Study& study, const std::vector<Measurement>& measurements, const ScalingTable& table,
                    const std::string& method) {
  Json json{{"schema", 1},
            {"kind", "scaling"},
            {"title", title_of(study, table)},
            {"scaling", to_string(study.scaling)},
            {"unit", table.unit},
            {"metric", {{"name", table.metric.name()}, {"is_time", table.metric.is_time()}}},
            {"study", Json::parse(to_json(study))},
            {"method", method},
            {"rows", Json::array()},
            {"runs", Json::array()},
            {"remarks", remarks_on(study, measurements, table)}};
  for (const auto& row : table.rows) json["rows"].push_back(json_of(row));
  for (const auto& run : measurements) json["runs"].push_back(json_of(run));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string method_text(const Study& study, const std::vector<Measurement>& measurements, const ScalingTable& table,
                        double warm_up) {
  if (table.rows.empty()) return "No run has ended well.";
  return sentences_on_runs(study, measurements, table) + sentences_on_numbers(study, table, warm_up) +
         sentences_on_software(study, measurements);
}

}  // namespace slipway::study
