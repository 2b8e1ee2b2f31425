// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study_runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "interrupts.hpp"
#include "job_record.hpp"
#include "point_directory.hpp"
#include "sbatch.hpp"
#include "slipway/base/error.hpp"
#include "slipway/local/child_process.hpp"
#include "slipway/observe/status.hpp"
#include "study_lock.hpp"
#include "study_state.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using study::Measurement;
using study::Outcome;
using study::Study;

namespace {

constexpr int interrupted = static_cast<int>(ExitStatus::preempted);
constexpr int some_failed = static_cast<int>(ExitStatus::node_failed);

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

std::string how_to_go_on(const fs::path& directory) { return "go on by: slipway sweep --resume " + directory.string(); }

bool has_failed(const PointView& point) {
  return point.run.outcome == Outcome::failed || point.run.outcome == Outcome::unusable;
}

std::vector<Measurement> points_to_run(const StudyView& view, bool retry_failed) {
  std::vector<Measurement> chosen;
  for (const auto& point : view.points) {
    const bool open = point.run.outcome == Outcome::missing && !point.queued;
    if (open || point.run.outcome == Outcome::stopped || (retry_failed && has_failed(point))) {
      chosen.push_back(point.run);
    }
  }
  return chosen;
}

void make_ready(const std::vector<Measurement>& points) {
  for (const auto& point : points) {
    if (point.outcome != Outcome::missing) clear_for_another_try(point.directory);
  }
}

std::vector<std::string> command_here(const Study& study, const Measurement& point) {
  auto words =
      study::filled(study.command, {{"nodes", 1}, {"ranks", point.point.size}, {"repeat", point.point.repeat}});
  words.insert(words.begin() + 1,
               {fmt::format("--slipway-ranks={}", point.point.size), "--slipway-run-directory=" + point.directory});
  return words;
}

// The program stops well at the first interrupt, and at once at the second.
void run_here(const Study& study, const Measurement& point, const CountInterrupts& interrupts) {
  fs::create_directories(point.directory);
  const fs::path log_file = fs::path(point.directory) / "output.log";
  const detail::OwnedDescriptor log(::open(log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (log.get() < 0) throw Error("cannot write " + log_file.string());
  detail::ChildRequest request{.command = command_here(study, point),
                               .more_environment = {},
                               .own_process_group = true,
                               .empty_input = true,
                               .output = log.get(),
                               .error = log.get(),
                               .signal_at_death_of_parent = SIGTERM};
  for (const auto& [name, value] : study.environment) request.more_environment.push_back(name + "=" + value);
  const pid_t child = detail::start_child(request);
  int handed_on = 0;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    const int now = interrupts.so_far();
    if (now > std::exchange(handed_on, now)) ::kill(child, SIGINT);
  }
}

std::string result_text(const Measurement& run) {
  if (run.outcome == Outcome::good) return fmt::format("ran {:.3g} s", run.running);
  const std::string why =
      run.outcome == Outcome::missing ? "it left no status: is it a program of slipway's?" : run.why;
  return fmt::format("{} ({}); see {}/output.log", to_string(run.outcome), why, run.directory);
}

int run_all_here(const StudyView& view, const std::vector<Measurement>& points) {
  const CountInterrupts interrupts;
  bool all_good = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    run_here(view.study, points[i], interrupts);
    if (interrupts.so_far() > 0) {
      say("interrupted; " + how_to_go_on(view.directory));
      return interrupted;
    }
    const auto run = measure(view.directory, view.study, points[i].point);
    say(fmt::format("[{}/{}] {}: {}", i + 1, points.size(), point_text(run.point, view.study.unit), result_text(run)));
    all_good = all_good && run.outcome == Outcome::good;
  }
  return all_good ? 0 : some_failed;
}

void record_job(const fs::path& directory, const Study& study, const std::string& id) {
  write_record(directory,
               {.ids = {id}, .machine = study.machine, .command = study.command, .command_line = study.command_line});
}

// The job that the next one waits for, where runs must not disturb each other: the last that is not over.
std::string job_before(const StudyView& view) {
  std::string last;
  for (const auto* const ids : {&view.running, &view.waiting}) {
    for (const auto& id : *ids) {
      if (std::pair(id.size(), id) > std::pair(last.size(), last)) last = id;  // as numbers
    }
  }
  return last;
}

// Each id is recorded before the next job is submitted, whatever interrupts this.
int submit_each(const StudyView& view, const std::vector<Measurement>& points) {
  const CountInterrupts interrupts;
  std::string before = job_before(view);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const fs::path directory = points[i].directory;
    restore_script(directory);
    std::vector<std::string> more;
    if (view.study.one_at_a_time && !before.empty()) more.push_back("--dependency=afterany:" + before);
    try {
      before = submit_script(directory / script_file, more).id;
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}\n{} of {} points were submitted before that; {}", error.what(), i, points.size(),
                                   how_to_go_on(view.directory)));
    }
    record_job(directory, view.study, before);
    say(fmt::format("job {}: {}", before, point_text(points[i].point, view.study.unit)));
    if (interrupts.so_far() > 0) {
      say(fmt::format("interrupted; {} of {} points are submitted; {}", i + 1, points.size(),
                      how_to_go_on(view.directory)));
      return interrupted;
    }
  }
  return 0;
}

int submit_series(const StudyView& view, const std::vector<Measurement>& points) {
  const CountInterrupts interrupts;
  for (const auto& point : points) restore_script(point.directory);
  const auto id = submit_script(view.directory / series_file).id;
  record_job(view.directory, view.study, id);
  say(fmt::format("job {}: {} points", id, points.size()));
  return interrupts.so_far() > 0 ? interrupted : 0;
}

int wait_for_points(const fs::path& study_directory) {
  const CountInterrupts interrupts;
  constexpr auto pause = std::chrono::seconds(2);  // one question to the scheduler, for all jobs
  std::optional<std::size_t> known;
  while (true) {
    const StudyView view = look_at_study(study_directory);
    const auto at_rest = static_cast<std::size_t>(
        std::count_if(view.points.begin(), view.points.end(), [](const auto& point) { return point.at_rest(); }));
    if (known != at_rest) say(fmt::format("{} of {} points are done", at_rest, view.points.size()));
    known = at_rest;
    if (at_rest == view.points.size()) {
      const bool good = std::all_of(view.points.begin(), view.points.end(),
                                    [](const auto& point) { return point.run.outcome == Outcome::good; });
      return good ? 0 : some_failed;
    }
    std::this_thread::sleep_for(pause);
    if (interrupts.so_far() > 0) {
      say("no longer waiting; the jobs go on. See: slipway status " + study_directory.string());
      return interrupted;
    }
  }
}

int begin_points(const StudyView& view, const std::vector<Measurement>& points) {
  make_ready(points);
  switch (view.study.runner) {
    case study::Runner::local:
      return run_all_here(view, points);
    case study::Runner::steps:
      return submit_series(view, points);
    case study::Runner::jobs:
      break;
  }
  return submit_each(view, points);
}

// The job of all points would run beside another one of the same points.
void require_no_living_series(const StudyView& view) {
  if (view.study.runner != study::Runner::steps || view.waiting.size() + view.running.size() == 0) return;
  throw UsageError("the job of the study still waits or runs (" +
                   (view.running.empty() ? view.waiting : view.running).front() +
                   "). Wait for its end, or slipway cancel the study first");
}

int say_what_failed(const StudyView& view) {
  const auto failed = std::count_if(view.points.begin(), view.points.end(), has_failed);
  if (failed == 0) return 0;
  say(fmt::format("{} points have failed; --retry-failed runs them again", failed));
  return some_failed;
}

}  // namespace

int run_points(const fs::path& study_directory, const Effort& effort) {
  int status = 0;
  {
    const StudyLock lock(study_directory);
    const StudyView view = look_at_study(study_directory);
    const auto points = points_to_run(view, effort.retry_failed);
    if (effort.dry_run) {
      for (const auto& point : points) say(point_text(point.point, view.study.unit));
      return 0;
    }
    if (points.empty()) say("no point is left to run");
    if (!points.empty()) {
      require_no_living_series(view);
      status = begin_points(view, points);
    }
    if (status == 0 && !effort.retry_failed) status = say_what_failed(view);
  }
  return effort.wait && status != interrupted ? wait_for_points(study_directory) : status;
}

}  // namespace slipway::tool
