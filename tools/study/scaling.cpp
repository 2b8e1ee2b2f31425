// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "slipway/base/error.hpp"

namespace slipway::study {

namespace {

double value_of(const Measurement& run, const Metric& metric) {
  return metric.is_time() ? run.running : run.rates.at(metric.work);
}

void require_known_work(const std::vector<Measurement>& measurements, const Metric& metric) {
  std::set<std::string> known;
  for (const auto& run : measurements) {
    for (const auto& [unit, rate] : run.rates) known.insert(unit);
    for (const auto& [unit, why] : run.no_rate) known.insert(unit);
  }
  if (metric.is_time() || known.contains(metric.work)) return;
  throw UsageError(
      fmt::format("no run reports {} (the work that is reported: {}). Choose --metric time or one of these",
                  metric.work, known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

double median_of(const std::vector<const Measurement*>& runs, double Measurement::*member) {
  std::vector<double> values;
  for (const auto* const run : runs) values.push_back(run->*member);
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

Row row_of(std::uint32_t size, const std::vector<const Measurement*>& runs, const Metric& metric) {
  Row row{.size = size, .ranks = runs.front()->ranks, .gpus = runs.front()->gpus};
  for (const auto* const run : runs) row.values.push_back(value_of(*run, metric));
  std::sort(row.values.begin(), row.values.end());
  row.median = quantile(row.values, 0.5);
  row.lower = quantile(row.values, 0.25);
  row.upper = quantile(row.values, 0.75);
  const double reach = 1.5 * (row.upper - row.lower);
  for (const double value : row.values) {
    if (value < row.lower - reach || value > row.upper + reach) row.outliers.push_back(value);
  }
  row.starting = median_of(runs, &Measurement::starting);
  row.running = median_of(runs, &Measurement::running);
  row.stopping = median_of(runs, &Measurement::stopping);
  return row;
}

void compare(Row& row, const Row& base, Scaling scaling, const Metric& metric) {
  const double times = static_cast<double>(row.size) / base.size;
  row.speedup = metric.is_time() ? base.median / row.median : row.median / base.median;
  if (scaling == Scaling::weak && metric.is_time()) row.speedup *= times;  // it did so many times the work
  row.efficiency = row.speedup / times;
  if (times > 1) row.serial_fraction = (1 / row.speedup - 1 / times) / (1 - 1 / times);
}

}  // namespace

bool has(const Measurement& run, const Metric& metric) {
  return run.outcome == Outcome::good && (metric.is_time() || run.rates.contains(metric.work));
}

double quantile(const std::vector<double>& ascending, double q) {
  const double rank = static_cast<double>(ascending.size() - 1) * q;
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], rank - static_cast<double>(below));
}

Metric usual_metric(const std::vector<Measurement>& measurements) {
  std::optional<std::string> common;
  for (const auto& run : measurements) {
    if (run.outcome != Outcome::good) continue;
    if (run.rates.size() + run.no_rate.size() != 1) return {};
    const std::string& unit = run.rates.empty() ? run.no_rate.begin()->first : run.rates.begin()->first;
    if (common && *common != unit) return {};
    common = unit;
  }
  return common ? Metric{*common} : Metric{};
}

ScalingTable scaling_table(const Study& study, const std::vector<Measurement>& measurements, const Metric& metric) {
  require_known_work(measurements, metric);
  ScalingTable table{study.scaling, study.unit, metric, {}};
  for (const std::uint32_t size : sizes_of(study)) {
    std::vector<const Measurement*> runs;
    for (const auto& measurement : measurements) {
      if (measurement.point.size == size && has(measurement, metric)) runs.push_back(&measurement);
    }
    if (!runs.empty()) table.rows.push_back(row_of(size, runs, metric));
  }
  for (auto& row : table.rows) compare(row, table.rows.front(), study.scaling, metric);
  return table;
}

}  // namespace slipway::study
