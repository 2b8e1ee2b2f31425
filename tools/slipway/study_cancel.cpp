// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study_cancel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "job_record.hpp"
#include "run_state.hpp"
#include "scancel.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "study_state.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using slurm::Verdict;

namespace {

bool is_alive(const RunView& run) {
  const Verdict verdict = verdict_of(run);
  return run.job && !run.job->ids.empty() && (verdict == Verdict::waiting || verdict == Verdict::running);
}

// The job of all points, or a job a point.
std::vector<RunView> living_jobs(const fs::path& directory, const study::Study& study) {
  std::vector<RunView> jobs{look_at(directory)};
  for (const auto& point : study.order) jobs.push_back(look_at(directory_of(directory, study, point)));
  std::erase_if(jobs, [](const RunView& run) { return !is_alive(run); });
  return jobs;
}

// Those that wait first, so that none begins where another stops.
void ask_to_end(const std::vector<RunView>& jobs) {
  for (const auto& run : jobs) {
    if (verdict_of(run) == Verdict::waiting) cancel_jobs(run.job->ids);
  }
  for (const auto& run : jobs) {  // the script hands it on to the program, and begins nothing more
    if (verdict_of(run) == Verdict::running) cancel_jobs(run.job->ids, {"--batch", "--signal=TERM"});
  }
}

}  // namespace

int cancel_study(const fs::path& directory, const study::Study& study, std::chrono::seconds patience) {
  if (study.runner == study::Runner::local) {
    throw UsageError(
        "the study runs on this machine (slipway sweep runs its points, one after the other). Press Ctrl-C "
        "there, or send it SIGINT");
  }
  auto jobs = living_jobs(directory, study);
  if (jobs.empty()) {
    fmt::print("no job of the study waits or runs\n");
    return 0;
  }
  const std::size_t all = jobs.size();
  ask_to_end(jobs);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!jobs.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    jobs = living_jobs(directory, study);
  }
  for (const auto& run : jobs) cancel_jobs(run.job->ids);
  fmt::print("{} jobs cancelled, {} of them by force; slipway sweep --resume goes on\n", all, jobs.size());
  return 0;
}

}  // namespace slipway::tool
