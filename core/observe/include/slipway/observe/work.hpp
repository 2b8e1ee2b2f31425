// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "slipway/base/seam.hpp"
#include "slipway/observe/run_directory.hpp"

// The work that a program says it has done, in units of its own: frames, samples, words.
namespace slipway {

struct WorkDone {
  double amount = 0;
  seam::Time last = 0;  // when the last of it was reported, on this process's clock
};

// By unit.
using Work = std::map<std::string, WorkDone, std::less<>>;

// Of several ranks together.
Work& operator+=(Work& work, const Work& more);

// Adds up what the nodes of one rank report. Thread-safe.
class WorkCounter {
 public:
  // Throws UsageError for a unit that is no name for a column, and for an amount that is no finite number from 0 on.
  void add(std::string_view unit, double amount);
  Work read() const;

 private:
  mutable std::mutex mutex_;  // guards work_
  Work work_;
};

// events/work.csv: how the amounts grew, a line a heartbeat and unit. Seconds count from the start of the workers to
// the moment for which the amount holds.
class WorkLog {
 public:
  WorkLog(RunDirectory directory, std::uint32_t attempt) : directory_(std::move(directory)), attempt_(attempt) {}

  // `last`: for when the amount holds. Writes nothing where nothing is reported, or without a run directory. Like the
  // heartbeat it never throws.
  void sample(const Work& work, seam::Time workers_began) const;

 private:
  RunDirectory directory_;
  std::uint32_t attempt_;
};

}  // namespace slipway
