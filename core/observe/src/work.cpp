// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "slipway/base/error.hpp"

namespace slipway {

namespace {

void check(std::string_view unit, double amount) {
  const auto unfit = [](char letter) { return letter == ',' || letter == '"' || (letter >= 0 && letter < ' '); };
  if (unit.empty() || std::any_of(unit.begin(), unit.end(), unfit)) {
    throw UsageError("work is reported in '" + std::string(unit) +
                     "' (the unit names a column of a table). Give a word such as frames");
  }
  if (!std::isfinite(amount) || amount < 0) {
    throw UsageError(fmt::format(
        "an amount of {} {} is reported (work only grows). Report what was done since the last time", amount, unit));
  }
}

}  // namespace

Work& operator+=(Work& work, const Work& more) {
  for (const auto& [unit, done] : more) {
    WorkDone& sum = work[unit];
    sum.amount += done.amount;
    sum.last = std::max(sum.last, done.last);
  }
  return work;
}

void WorkCounter::add(std::string_view unit, double amount) {
  check(unit, amount);
  const seam::Time now = seam::now();
  const std::lock_guard guard(mutex_);
  auto known = work_.find(unit);
  if (known == work_.end()) known = work_.emplace(unit, WorkDone{}).first;
  known->second.amount += amount;
  known->second.last = now;
}

Work WorkCounter::read() const {
  const std::lock_guard guard(mutex_);
  return work_;
}

void WorkLog::sample(const Work& work, seam::Time workers_began) const {
  if (work.empty() || !directory_) return;
  const std::filesystem::path file = directory_.events() / "work.csv";
  std::error_code unknown;
  const bool is_new = !std::filesystem::exists(file, unknown);
  std::string lines = is_new ? "attempt,seconds,unit,amount\n" : "";
  for (const auto& [unit, done] : work) {
    const double seconds = static_cast<double>(done.last - workers_began) * 1e-9;
    lines += fmt::format("{},{:.3f},{},{}\n", attempt_, seconds, unit, done.amount);
  }
  std::ofstream(file, std::ios::app) << lines;
}

}  // namespace slipway
