// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "sbatch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "command.hpp"
#include "slipway/base/error.hpp"

namespace slipway::tool {

std::vector<std::string> without_sbatch_variables() {
  std::vector<std::string> words{"env"};
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (text.starts_with("SBATCH_")) words.insert(words.end(), {"-u", text.substr(0, text.find('='))});
  }
  return words;
}

slurm::JobId submit_script(const std::filesystem::path& script, const std::vector<std::string>& more) {
  auto words = without_sbatch_variables();
  words.insert(words.end(), {"sbatch", "--parsable"});
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(script.string());
  const auto result = run_slurm(words);
  if (result.status == 127) throw UsageError("there is no sbatch on the PATH; load the module of Slurm");
  const auto id = result.status == 0 ? slurm::parse_job_id(result.output) : std::nullopt;
  if (!id) {
    throw UsageError(fmt::format("sbatch refused the job; nothing was submitted. It said:\n{}{}The script is kept: {}",
                                 result.errors, result.output, script.string()));
  }
  return *id;
}

}  // namespace slipway::tool
