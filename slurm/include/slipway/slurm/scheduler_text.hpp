// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

// What Slurm's commands print, understood.
namespace slipway::slurm {

// The id in what `sbatch` prints: "Submitted batch job 17", "17", "17;cluster", each behind any banner. Nothing when
// there is none.
struct JobId {
  std::string id;       // "17", "17_3"
  std::string cluster;  // of a federation; mostly empty
};
std::optional<JobId> parse_job_id(std::string_view sbatch_output);

// How a job ended or stands, as far as somebody who started it wants to know.
enum class Verdict : std::uint8_t {
  unknown,  // also every word that is new
  waiting,
  running,
  good,
  failed,
  cancelled,
  timed_out,
  preempted,
  node_failed,
  out_of_memory,
};
std::string_view to_string(Verdict verdict);

// Of the words of squeue, scontrol and sacct, such as "RUNNING", "PD" or "CANCELLED by 1000". Never `good` for a word
// it does not know.
Verdict verdict_of(std::string_view state);
// Whether the job may still change.
bool is_over(Verdict verdict);

// Of a job in parts, each with a verdict of its own: whether the left one says more about the whole. A part that goes
// on does, then one that failed by itself; one that was cancelled with another, or did well, says the least.
bool tells_more(Verdict left, Verdict right);

// The fields of one `scontrol --oneliner show job` line: "JobId=3 JobName=a b JobState=RUNNING …". Values may have
// blanks and '='.
std::map<std::string, std::string> parse_scontrol_job(std::string_view line);

}  // namespace slipway::slurm
