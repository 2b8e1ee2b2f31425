// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "array_run.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "array_views.hpp"
#include "slipway/slurm/array_indexes.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using slurm::Verdict;

namespace {

// Directories that are named by a number, and those that the job has beside them.
std::set<std::uint32_t> indexes_of(const fs::path& directory, const std::optional<JobRecord>& job) {
  std::set<std::uint32_t> indexes;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto index = slurm::parse_array(entry.path().filename().string());
    if (index && index->size() == 1 && fs::exists(entry.path() / "status.json")) indexes.insert(index->front());
  }
  if (job && !job->array.empty()) {
    for (const std::uint32_t index : slurm::parse_array(job->array).value_or(std::vector<std::uint32_t>())) {
      indexes.insert(index);
    }
  }
  return indexes;
}

// The later, the worse.
std::size_t badness(int status) {
  constexpr std::array from_good_to_bad{ExitStatus::good,      ExitStatus::preempted, ExitStatus::time_limit,
                                        ExitStatus::rank_lost, ExitStatus::usage,     ExitStatus::node_failed};
  const auto* const found =
      std::find(from_good_to_bad.begin(), from_good_to_bad.end(), static_cast<ExitStatus>(status));
  return static_cast<std::size_t>(found - from_good_to_bad.begin());
}

const ArrayElement& worst_of(const ArrayRun& array) {
  return *std::max_element(array.elements.begin(), array.elements.end(),
                           [](const ArrayElement& left, const ArrayElement& right) {
                             return badness(exit_status_of(left.run)) < badness(exit_status_of(right.run));
                           });
}

}  // namespace

std::optional<ArrayRun> look_at_array(const fs::path& run_directory) {
  if (fs::exists(run_directory / "status.json") || element_place(run_directory)) return std::nullopt;
  ArrayRun array{run_directory, read_record(run_directory), {}};
  const std::vector<std::string> ids = array.job ? array.job->ids : std::vector<std::string>();
  const ArrayViews views = ask_scheduler_of_array(ids);
  for (const std::uint32_t index : indexes_of(run_directory, array.job)) {
    const fs::path directory = run_directory / std::to_string(index);
    if (fs::exists(directory / record_file)) {
      array.elements.push_back({index, look_at(directory)});
      continue;
    }
    array.elements.push_back(
        {index, {directory, std::nullopt, read_status(directory), view_of_element(views, run_directory, ids, index)}});
  }
  if (array.elements.empty()) return std::nullopt;
  return array;
}

Verdict verdict_of(const ArrayRun& array) {
  bool waits = false;
  for (const auto& element : array.elements) {
    const Verdict verdict = verdict_of(element.run);
    if (verdict == Verdict::running) return verdict;
    waits = waits || verdict == Verdict::waiting;
  }
  return waits ? Verdict::waiting : verdict_of(worst_of(array).run);
}

int exit_status_of(const ArrayRun& array) { return exit_status_of(worst_of(array).run); }

}  // namespace slipway::tool
