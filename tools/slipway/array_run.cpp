// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "array_run.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "command.hpp"
#include "slipway/base/text.hpp"
#include "slipway/slurm/array_indexes.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using slurm::Verdict;

namespace {

// What the scheduler says of the elements.
class Views {
 public:
  // Of a chain, an element counts where it is not over yet.
  void add(std::string_view indexes, const SchedulerView& view) {
    if (indexes == all_cancelled) {
      rest_ = view;
      return;
    }
    for (const std::uint32_t index : slurm::parse_array(indexes).value_or(std::vector<std::uint32_t>())) {
      const auto known = by_index_.find(index);
      if (known == by_index_.end() || is_over(known->second.verdict)) by_index_[index] = view;
    }
  }
  std::optional<SchedulerView> of(std::uint32_t index) const {
    const auto found = by_index_.find(index);
    return found == by_index_.end() ? rest_ : found->second;
  }
  bool empty() const { return by_index_.empty() && !rest_; }

 private:
  // Slurm forgets the indexes of elements that were cancelled before they began: this number stands for none.
  static constexpr std::string_view all_cancelled = "4294967294";

  std::map<std::uint32_t, SchedulerView> by_index_;
  std::optional<SchedulerView> rest_;
};

// "17_3|COMPLETED", "17_[4-9%2]|PENDING"
void add_accounted(Views& views, std::string_view line) {
  const std::size_t mark = line.find('|');
  const std::size_t behind = line.find('_');
  if (mark == std::string_view::npos || behind > mark) return;
  std::string_view indexes = line.substr(behind + 1, mark - behind - 1);
  if (indexes.starts_with('[') && indexes.ends_with(']')) indexes = indexes.substr(1, indexes.size() - 2);
  const std::string state(line.substr(mark + 1));
  views.add(indexes, {slurm::verdict_of(state), state, {}, {}, {}});
}

// One line an element that has begun, and one for all that wait.
void add_shown(Views& views, std::string_view line) {
  const auto fields = slurm::parse_scontrol_job(line);
  const auto indexes = fields.find("ArrayTaskId");
  if (indexes != fields.end()) views.add(indexes->second, scheduler_view(fields));
}

Views ask_scheduler(const JobRecord& job) {
  Views views;
  if (!slurm_is_here()) return views;
  for (const auto& id : job.ids) {
    const auto shown = run_slurm({"scontrol", "--oneliner", "show", "job", id});
    if (shown.status == 0) {
      for (const std::string_view line : split(shown.output, '\n')) add_shown(views, line);
      continue;
    }
    const auto accounted =
        try_slurm({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs", id, "--format=JobID,State"});
    if (!accounted || accounted->status != 0) continue;
    for (const std::string_view line : split(accounted->output, '\n')) add_accounted(views, line);
  }
  return views;
}

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
  const Views views = array.job ? ask_scheduler(*array.job) : Views();
  for (const std::uint32_t index : indexes_of(run_directory, array.job)) {
    const fs::path directory = run_directory / std::to_string(index);
    if (fs::exists(directory / record_file)) {
      array.elements.push_back({index, look_at(directory)});
      continue;
    }
    RunView run{directory, std::nullopt, read_status(directory), views.of(index)};
    if (!run.scheduler && !run.status && !views.empty()) {
      run.scheduler = view_of_forgotten({run_directory, index}, array.job->ids);
    }
    array.elements.push_back({index, std::move(run)});
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
