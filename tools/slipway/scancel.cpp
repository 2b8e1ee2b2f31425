// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "scancel.hpp"

#include <fmt/format.h>

#include "command.hpp"
#include "slipway/base/error.hpp"

namespace slipway::tool {

void cancel_jobs(const std::vector<std::string>& ids, const std::vector<std::string>& options) {
  std::vector<std::string> words{"scancel"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), ids.begin(), ids.end());
  const auto result = run_slurm(words);
  if (result.status != 0) {
    throw Error(fmt::format("scancel could not cancel job {}: {}", fmt::join(ids, ", "), result.errors));
  }
}

}  // namespace slipway::tool
