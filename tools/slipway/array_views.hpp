// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run_state.hpp"

namespace slipway::tool {

// What the scheduler says of the elements of an array.
class ArrayViews {
 public:
  // "3", "4-9%2". Of a chain, an element counts where it is not over yet.
  void add(std::string_view indexes, const SchedulerView& view);
  std::optional<SchedulerView> of(std::uint32_t index) const;
  // The scheduler knows nothing of the array.
  bool empty() const { return by_index_.empty() && !rest_; }

 private:
  std::map<std::uint32_t, SchedulerView> by_index_;
  std::optional<SchedulerView> rest_;
};

// `ids`: of the array's jobs, without indexes. The scheduler is asked once a job.
ArrayViews ask_scheduler_of_array(const std::vector<std::string>& ids);

// Of one element of the array in this directory. Slurm forgets at once what is cancelled before it begins, while it
// knows others of the array; of what has begun there is a log, or a status.
std::optional<SchedulerView> view_of_element(const ArrayViews& views, const std::filesystem::path& array,
                                             const std::vector<std::string>& ids, std::uint32_t index);

}  // namespace slipway::tool
