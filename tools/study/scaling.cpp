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

std::set<std::string> units_of(const Measurement& measurement) {
  std::set<std::string> units;
  for (const auto& [unit, rate] : measurement.rates) units.insert(unit);
  return units;
}

double value_of(const Measurement& measurement, const Metric& metric) {
  if (metric.is_time()) return measurement.running;
  const auto rate = measurement.rates.find(metric.work);
  if (rate != measurement.rates.end()) return rate->second;
  std::string known;
  for (const auto& unit : units_of(measurement)) known += " " + unit;
  throw UsageError(fmt::format("the run at size {} reports no {} (it reports:{}). Choose --metric time or one of these",
                               measurement.point.size, metric.work, known.empty() ? " nothing" : known));
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

double quantile(const std::vector<double>& ascending, double q) {
  const double rank = static_cast<double>(ascending.size() - 1) * q;
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], rank - static_cast<double>(below));
}

Metric usual_metric(const std::vector<Measurement>& measurements) {
  std::optional<std::set<std::string>> common;
  for (const auto& measurement : measurements) {
    if (measurement.outcome != Outcome::good) continue;
    const auto units = units_of(measurement);
    if (units.size() != 1 || (common && *common != units)) return {};
    common = units;
  }
  return common ? Metric{*common->begin()} : Metric{};
}

ScalingTable scaling_table(const Study& study, const std::vector<Measurement>& measurements, const Metric& metric) {
  ScalingTable table{study.scaling, study.unit, metric, {}};
  for (const std::uint32_t size : sizes_of(study)) {
    std::vector<const Measurement*> runs;
    for (const auto& measurement : measurements) {
      if (measurement.point.size == size && measurement.outcome == Outcome::good) runs.push_back(&measurement);
    }
    if (!runs.empty()) table.rows.push_back(row_of(size, runs, metric));
  }
  for (auto& row : table.rows) compare(row, table.rows.front(), study.scaling, metric);
  return table;
}

}  // namespace slipway::study
