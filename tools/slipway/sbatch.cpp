// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "sbatch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "slipway/base/error.hpp"

namespace slipway::tool {

Captured run_sbatch(const std::vector<std::string>& options, const std::filesystem::path& script) {
  std::vector<std::string> of_the_user;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (text.starts_with("SBATCH_")) of_the_user.push_back(text.substr(0, text.find('=')));
  }
  std::vector<std::string> words{"sbatch"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(script.string());
  return run_slurm(words, std::move(of_the_user));
}

slurm::JobId submit_script(const std::filesystem::path& script, const std::vector<std::string>& more) {
  std::vector<std::string> options{"--parsable"};
  options.insert(options.end(), more.begin(), more.end());
  const auto result = run_sbatch(options, script);
  const auto id = result.status == 0 ? slurm::parse_job_id(result.output) : std::nullopt;
  if (!id) {
    throw UsageError(
        fmt::format("sbatch refused the job, which was not submitted. It said:\n{}{}The script is kept: {}",
                    result.errors, result.output, script.string()));
  }
  return *id;
}

}  // namespace slipway::tool
