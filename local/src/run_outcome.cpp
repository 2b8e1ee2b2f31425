// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "run_outcome.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <optional>

#include "slipway/base/error.hpp"
#include "slipway/observe/wall_clock.hpp"

namespace slipway::detail {

namespace {

std::string describe(int wait_status) {
  if (WIFSIGNALED(wait_status)) return "mpirun was ended by signal " + std::to_string(WTERMSIG(wait_status));
  return "mpirun ended with status " + std::to_string(WEXITSTATUS(wait_status));
}

// mpirun returns the status of a rank that failed, 128 + n or n itself for one that signal n ended.
ExitStatus judge(int wait_status, bool rank_was_lost) {
  if (rank_was_lost || WIFSIGNALED(wait_status)) return ExitStatus::rank_lost;
  switch (WEXITSTATUS(wait_status)) {
    case static_cast<int>(ExitStatus::usage):
      return ExitStatus::usage;
    case static_cast<int>(ExitStatus::rank_lost):
    case SIGKILL:
    case 128 + SIGKILL:
    case SIGTERM:
    case 128 + SIGTERM:
      return ExitStatus::rank_lost;
    case static_cast<int>(ExitStatus::preempted):
      return ExitStatus::preempted;
    case static_cast<int>(ExitStatus::time_limit):
      return ExitStatus::time_limit;
    default:
      return ExitStatus::node_failed;
  }
}

FirstFailure failure_from_outside(const RunDirectory& directory, int wait_status, bool rank_was_lost,
                                  const std::string& end_reason) {
  if (auto words = read_first_last_words(directory.path())) return *words;
  FirstFailure failure;
  failure.status = judge(wait_status, rank_was_lost || !end_reason.empty());
  failure.log_file = (directory.path() / "logs").string();
  failure.text = end_reason.empty() ? describe(wait_status) : end_reason;
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0 && end_reason.empty()) {
    failure.text = "the ranks ended without the end of the run (did main return before launch, or call exit?)";
  }
  return failure;
}

// Which rank it was is not known here, unless it left last words.
std::string text_of(const FirstFailure& failure, const std::string& end_reason) {
  if (!failure.type.empty()) return to_text(failure);
  if (!end_reason.empty()) return end_reason + "\n  logs: " + failure.log_file;
  return std::string(to_string(failure.status)) + ": " + failure.text + "\n  logs: " + failure.log_file;
}

void record(const RunDirectory& directory, std::optional<RunStatus> status, const FirstFailure& failure) {
  RunStatus last = status.value_or(RunStatus{});
  last.state = RunState::ended;
  last.exit_status = failure.status;
  if (!last.first_failure) last.first_failure = failure;
  last.ended = last.heartbeat = wall_now();
  try {
    directory.write("status.json", to_json(last));
  } catch (const Error&) {
    // The exit status still says it.
  }
}

// mpirun does not tell how ranks ended that it was told to let die; and some end all ranks with the first, so that of
// several that died nobody knows which it was.
std::optional<RunOutcome> bad_rest_of_main(const RunDirectory& directory, std::uint32_t ranks) {
  const std::string begin = "the run ended well, but not the program: main of rank ";
  std::string died;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto status = read_file(directory.main_file(rank));
    if (!status) continue;
    if (!status->empty()) {
      return RunOutcome{ExitStatus::node_failed, begin + std::to_string(rank) + " ended with status " + *status};
    }
    died.append(died.empty() ? "" : " or ").append(std::to_string(rank));
  }
  if (died.empty()) return std::nullopt;
  return RunOutcome{ExitStatus::node_failed, begin + died + " died after launch had returned"};
}

}  // namespace

RunOutcome conclude(const RunDirectory& directory, int wait_status, bool rank_was_lost, const std::string& end_reason) {
  auto status = read_status(directory.path());
  if (status && status->state == RunState::ended && status->exit_status) {
    const bool well_after_the_end = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
    if (*status->exit_status != ExitStatus::good) return {.status = *status->exit_status};
    if (const auto bad = bad_rest_of_main(directory, status->ranks)) return *bad;
    if (well_after_the_end) return {.status = ExitStatus::good};
    // The run ended well, and a rank failed behind it: in finalize.
    return {.status = judge(wait_status, rank_was_lost),
            .message = "the run ended well, but not the program: " + describe(wait_status)};
  }
  FirstFailure failure = failure_from_outside(directory, wait_status, rank_was_lost, end_reason);
  if (status && status->first_failure) failure = *status->first_failure;
  record(directory, status, failure);
  return {.status = failure.status, .message = text_of(failure, end_reason)};
}

}  // namespace slipway::detail
