// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/work_curves.hpp"

#include <cstdlib>

#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::study {

namespace {

std::map<std::string, WorkCurve> read_samples(const std::filesystem::path& file, std::uint32_t attempt) {
  std::map<std::string, WorkCurve> samples;
  const std::string text = read_file(file).value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() != 4 || cells[0] != std::to_string(attempt)) continue;
    samples[std::string(cells[2])].emplace_back(std::atof(std::string(cells[1]).c_str()),
                                                std::atof(std::string(cells[3]).c_str()));
  }
  return samples;
}

}  // namespace

std::map<std::string, WorkCurve> read_work_curves(const std::filesystem::path& run_directory, std::uint32_t attempt,
                                                  const Report& report) {
  const auto samples = read_samples(run_directory / "events" / "work.csv", attempt);
  std::map<std::string, WorkCurve> curves;
  for (const auto& work : report.work) {
    const double end = static_cast<double>(work.time) * 1e-9;
    WorkCurve& curve = curves[work.unit];
    curve.emplace_back(0, 0);
    const auto known = samples.find(work.unit);
    if (known != samples.end()) {
      for (const auto& sample : known->second) {
        if (sample.first > curve.back().first && sample.first < end) curve.push_back(sample);
      }
    }
    if (end > 0) curve.emplace_back(end, work.amount);
  }
  return curves;
}

}  // namespace slipway::study
