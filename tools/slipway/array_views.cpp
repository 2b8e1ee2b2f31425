// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "array_views.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "slipway/base/text.hpp"
#include "slipway/slurm/array_indexes.hpp"

namespace slipway::tool {

namespace {

// Slurm forgets the indexes of elements that were cancelled before they began: this number stands for none.
constexpr std::string_view all_cancelled = "4294967294";

// "17_3|COMPLETED", "17_[4-9%2]|PENDING"
void add_accounted(ArrayViews& views, std::string_view line) {
  const std::size_t mark = line.find('|');
  const std::size_t behind = line.find('_');
  if (mark == std::string_view::npos || behind > mark) return;
  std::string_view indexes = line.substr(behind + 1, mark - behind - 1);
  if (indexes.starts_with('[') && indexes.ends_with(']')) indexes = indexes.substr(1, indexes.size() - 2);
  const std::string state(line.substr(mark + 1));
  views.add(indexes, {slurm::verdict_of(state), state, {}, {}, {}});
}

// One line an element that has begun, and one for all that wait.
void add_shown(ArrayViews& views, std::string_view line) {
  const auto fields = slurm::parse_scontrol_job(line);
  const auto indexes = fields.find("ArrayTaskId");
  if (indexes != fields.end()) views.add(indexes->second, scheduler_view(fields));
}

}  // namespace

void ArrayViews::add(std::string_view indexes, const SchedulerView& view) {
  if (indexes == all_cancelled) {
    rest_ = view;
    return;
  }
  for (const std::uint32_t index : slurm::parse_array(indexes).value_or(std::vector<std::uint32_t>())) {
    const auto known = by_index_.find(index);
    if (known == by_index_.end() || is_over(known->second.verdict)) by_index_[index] = view;
  }
}

std::optional<SchedulerView> ArrayViews::of(std::uint32_t index) const {
  const auto found = by_index_.find(index);
  return found == by_index_.end() ? rest_ : found->second;
}

ArrayViews ask_scheduler_of_array(const std::vector<std::string>& ids) {
  ArrayViews views;
  if (!slurm_is_here()) return views;
  for (const auto& id : ids) {
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

std::optional<SchedulerView> view_of_element(const ArrayViews& views, const std::filesystem::path& array,
                                             const std::vector<std::string>& ids, std::uint32_t index) {
  const auto view = views.of(index);
  if (view || views.empty()) return view;
  const bool has_log = std::any_of(ids.begin(), ids.end(), [&array, index](const std::string& id) {
    return std::filesystem::exists(array / fmt::format("slurm-{}_{}.out", id, index));
  });
  if (has_log || std::filesystem::exists(array / std::to_string(index) / "status.json")) return std::nullopt;
  return SchedulerView{slurm::Verdict::cancelled, "CANCELLED", {}, {}, {}};
}

}  // namespace slipway::tool
