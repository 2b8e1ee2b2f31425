// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job_record.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/slurm/scheduler_text.hpp"

namespace slipway::tool {

// What the scheduler says of a job.
struct SchedulerView {
  slurm::Verdict verdict = slurm::Verdict::unknown;
  std::string state;   // in its own word
  std::string reason;  // for waiting
  std::string nodes;
  std::string restarts;
};

// What is known of a run: from its files alone, and from the scheduler if there is one that knows the job.
struct RunView {
  std::filesystem::path directory;
  std::optional<JobRecord> job;
  std::optional<RunStatus> status;
  std::optional<SchedulerView> scheduler;
};

// What the scheduler says of several jobs, which it is asked for once.
struct SchedulerAnswer {
  bool came = false;                                 // false: there is no scheduler here, or it does not answer
  std::map<std::string, slurm::Verdict> verdicts{};  // of the jobs that it knows, by id
};
SchedulerAnswer ask_scheduler(const std::vector<std::string>& ids);

// Nobody writes the status of a run that says it goes on.
bool heartbeat_is_stale(const RunStatus& status);

RunView look_at(const std::filesystem::path& run_directory);

// What one line of `scontrol --oneliner show job` says.
SchedulerView scheduler_view(const std::map<std::string, std::string>& fields);

// One word for how the run stands. The scheduler speaks for a job whose run has said nothing, or cannot have gone on.
slurm::Verdict verdict_of(const RunView& run);

// What `slipway status` ends with: the status of the run, once over; 0 while it waits or runs; 75 where it was told to
// end before its end; 3 where it ended without a word, or nobody knows.
int exit_status_of(const RunView& run);

}  // namespace slipway::tool
