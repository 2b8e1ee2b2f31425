// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/measurement.hpp"
#include "study/study.hpp"

// What the runs of a study mean together. Pure arithmetic.
namespace slipway::study {

// By linear interpolation between order statistics (rank 1 + (n - 1) q). Needs values in ascending order, at least one.
double quantile(const std::vector<double>& ascending, double q);

// What is compared: seconds of running, or work per second.
struct Metric {
  std::string work{};  // the unit of the work; empty: the time

  bool is_time() const { return work.empty(); }
  std::string name() const { return is_time() ? "time" : work + "/s"; }
  friend bool operator==(const Metric&, const Metric&) = default;
};

// Whether the run is good, and has what is compared.
bool has(const Measurement& run, const Metric& metric);

// All such runs of one size.
struct Row {
  std::uint32_t size = 1;
  std::uint32_t ranks = 0;
  double gpus = 0;
  std::vector<double> values{};    // of the metric, ascending
  std::vector<double> outliers{};  // those of them beyond 1.5 interquartile ranges; they count all the same
  double median = 0;
  double lower = 0;     // first quartile
  double upper = 0;     // third quartile
  double starting = 0;  // this and the next two: medians, in seconds
  double running = 0;
  double stopping = 0;
  double speedup = 1;                       // strong: T(b)/T(p); weak: of the work done in the same time
  double efficiency = 1;                    // speedup · b/p
  std::optional<double> serial_fraction{};  // Karp–Flatt; none for the base
};

struct ScalingTable {
  Scaling scaling = Scaling::strong;
  std::string unit{};
  Metric metric{};
  std::vector<Row> rows{};  // ascending sizes; the first is the base. Empty: no run was good
};

// The rate, if the good runs report exactly one kind of work, all of them; else the time.
Metric usual_metric(const std::vector<Measurement>& measurements);

// Of the good runs those that have the metric. Throws UsageError when no run has heard of the work that it wants.
ScalingTable scaling_table(const Study& study, const std::vector<Measurement>& measurements, const Metric& metric);

}  // namespace slipway::study
