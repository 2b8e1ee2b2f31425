// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "run_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "array_views.hpp"
#include "command.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/wall_clock.hpp"

namespace slipway::tool {

using slurm::Verdict;

namespace {

std::string field(const std::map<std::string, std::string>& fields, const char* name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : found->second;
}

// Lines "17|RUNNING", and of a heterogeneous job "17+1|RUNNING", a line a part. What is known already stays.
void add_states(std::map<std::string, Verdict>& known, std::string_view lines) {
  std::map<std::string, Verdict> verdicts;
  for (const std::string_view line : split(lines, '\n')) {
    const std::size_t mark = line.find('|');
    if (mark == std::string_view::npos) continue;
    const std::string_view id = line.substr(0, mark);
    const Verdict verdict = slurm::verdict_of(line.substr(mark + 1));
    const auto [found, first] = verdicts.emplace(id.substr(0, id.find('+')), verdict);
    if (!first && slurm::tells_more(verdict, found->second)) found->second = verdict;
  }
  known.merge(verdicts);
}

// Of a job with a line a part, the one that tells the most.
SchedulerView most_telling(std::string_view lines, SchedulerView (*view_of)(std::string_view line)) {
  std::optional<SchedulerView> most;
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    SchedulerView view = view_of(line);
    if (!most || slurm::tells_more(view.verdict, most->verdict)) most = std::move(view);
  }
  return most.value_or(SchedulerView());
}

SchedulerView shown_view(std::string_view line) { return scheduler_view(slurm::parse_scontrol_job(line)); }
SchedulerView accounted_view(std::string_view state) {
  return {slurm::verdict_of(state), std::string(state), {}, {}, {}};
}

// scontrol forgets a job some minutes after its end; the accounting, where there is one, does not.
std::optional<SchedulerView> ask_scheduler(const std::string& id) {
  const auto shown = run_slurm({"scontrol", "--oneliner", "show", "job", id});
  if (shown.status == 0) return most_telling(shown.output, shown_view);
  const auto accounted =
      try_slurm({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs", id, "--format=State"});
  if (!accounted || accounted->status != 0 || accounted->output.empty()) return std::nullopt;
  return most_telling(accounted->output, accounted_view);
}

Verdict verdict_of(ExitStatus status, bool finished, const SchedulerView* scheduler) {
  switch (status) {
    case ExitStatus::good: {  // a program that is told to end by a signal does so in order
      if (finished) return Verdict::good;
      const bool ended_by_others = scheduler && is_over(scheduler->verdict) && scheduler->verdict != Verdict::good &&
                                   scheduler->verdict != Verdict::failed;
      return ended_by_others ? scheduler->verdict : Verdict::cancelled;
    }
    case ExitStatus::time_limit:
      return Verdict::timed_out;
    case ExitStatus::preempted:
      return Verdict::preempted;
    case ExitStatus::rank_lost: {
      const bool scheduler_knows = scheduler && is_over(scheduler->verdict) && scheduler->verdict != Verdict::good;
      return scheduler_knows ? scheduler->verdict : Verdict::failed;
    }
    case ExitStatus::node_failed:
    case ExitStatus::usage:
      break;
  }
  return Verdict::failed;
}

// "17_3" is of the array 17.
std::vector<std::string> without_indexes(std::vector<std::string> ids) {
  for (auto& id : ids) id.resize(std::min(id.find('_'), id.size()));
  return ids;
}

}  // namespace

SchedulerAnswer ask_scheduler(const std::vector<std::string>& ids) {
  SchedulerAnswer answer;
  if (ids.empty() || !slurm_is_here()) return answer;
  const auto shown = run_slurm(
      {"squeue", "--noheader", "--states=all", "--format=%i|%T", fmt::format("--jobs={}", fmt::join(ids, ","))});
  // A single job that is forgotten is an error for squeue, one among several is not.
  answer.came = shown.status == 0 || shown.errors.find("Invalid job id") != std::string::npos;
  add_states(answer.verdicts, shown.output);
  if (!answer.came || answer.verdicts.size() == ids.size()) return answer;
  const auto accounted = try_slurm({"sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State",
                                    fmt::format("--jobs={}", fmt::join(ids, ","))});
  if (accounted && accounted->status == 0) add_states(answer.verdicts, accounted->output);
  return answer;
}

bool heartbeat_is_stale(const RunStatus& status) {
  constexpr std::int64_t limit = 60'000'000'000;  // nanoseconds; a run writes one each second, file systems may be slow
  return wall_now() - status.heartbeat > limit;
}

SchedulerView scheduler_view(const std::map<std::string, std::string>& fields) {
  const std::string state = field(fields, "JobState");
  return {slurm::verdict_of(state), state, field(fields, "Reason"), field(fields, "NodeList"),
          field(fields, "Restarts")};
}

RunView look_at(const std::filesystem::path& run_directory) {
  RunView run{run_directory, read_record(run_directory), read_status(run_directory), std::nullopt};
  if (!run.job || !slurm_is_here()) return run;
  if (const auto element = element_place(run_directory)) {
    const std::vector<std::string> ids = without_indexes(run.job->ids);
    run.scheduler = view_of_element(ask_scheduler_of_array(ids), element->array, ids, element->index);
    return run;
  }
  for (const auto& id : run.job->ids) {  // of a chain, the first that is not over
    if (auto view = ask_scheduler(id)) run.scheduler = std::move(view);
    if (run.scheduler && !is_over(run.scheduler->verdict)) break;
  }
  return run;
}

Verdict verdict_of(const RunView& run) {
  const SchedulerView* const scheduler = run.scheduler ? &*run.scheduler : nullptr;
  const bool ended = run.status && run.status->exit_status;
  // A requeued job waits or runs again, whatever its last attempt has written. But the script of a run that has ended
  // runs for some moments more.
  if (scheduler && scheduler->verdict == Verdict::waiting) return Verdict::waiting;
  if (scheduler && scheduler->verdict == Verdict::running) {
    const bool for_good = ended && *run.status->exit_status != ExitStatus::preempted;
    if (!for_good) return Verdict::running;
  }
  if (ended) return verdict_of(*run.status->exit_status, run.status->finished, scheduler);
  if (scheduler) return scheduler->verdict == Verdict::good ? Verdict::failed : scheduler->verdict;
  if (!run.status) return Verdict::unknown;
  return heartbeat_is_stale(*run.status) ? Verdict::failed : Verdict::running;
}

int exit_status_of(const RunView& run) {
  const Verdict verdict = verdict_of(run);
  if (verdict == Verdict::waiting || verdict == Verdict::running) return 0;
  if (run.status && run.status->exit_status) {
    const bool may_go_on = *run.status->exit_status == ExitStatus::good && verdict != Verdict::good;
    return static_cast<int>(may_go_on ? ExitStatus::preempted : *run.status->exit_status);
  }
  if (verdict == Verdict::timed_out) return static_cast<int>(ExitStatus::time_limit);
  if (verdict == Verdict::cancelled && !run.status) return static_cast<int>(ExitStatus::preempted);  // never began
  if (const auto words = read_first_last_words(run.directory)) return static_cast<int>(words->status);
  return static_cast<int>(ExitStatus::rank_lost);
}

}  // namespace slipway::tool
