// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study_runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "job_record.hpp"
#include "sbatch.hpp"
#include "slipway/base/error.hpp"
#include "slipway/local/child_process.hpp"
#include "slipway/observe/status.hpp"
#include "study_state.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using study::Outcome;
using study::Study;

namespace {

std::atomic<int> interrupts{0};

// While it lives, Ctrl-C and SIGTERM are counted, and end waits.
class CountInterrupts {
 public:
  CountInterrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupts.fetch_add(1, std::memory_order_relaxed); };
    ::sigaction(SIGINT, &action, &before_interrupt_);
    ::sigaction(SIGTERM, &action, &before_end_);
  }
  ~CountInterrupts() {
    ::sigaction(SIGINT, &before_interrupt_, nullptr);
    ::sigaction(SIGTERM, &before_end_, nullptr);
  }
  CountInterrupts(const CountInterrupts&) = delete;
  CountInterrupts& operator=(const CountInterrupts&) = delete;

 private:
  struct sigaction before_interrupt_ {};
  struct sigaction before_end_ {};
};

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

std::string name_of(const Study& study, study::Point point) {
  return fmt::format("{} {}, run {}", study.unit, point.size, point.repeat);
}

// A clean directory for another try; what is there is kept, and the script of the job stays.
void move_aside(const fs::path& directory) {
  fs::path kept;
  for (int number = 1; kept.empty() || fs::exists(kept); ++number) {
    kept = directory.string() + ".failed-" + std::to_string(number);
  }
  fs::rename(directory, kept);
  fs::create_directories(directory);
  if (fs::exists(kept / script_file)) fs::copy_file(kept / script_file, directory / script_file);
}

// In the order of the study.
std::vector<PointView> points_to_run(const fs::path& study_directory, const Study& study, bool retry_failed) {
  std::vector<PointView> chosen;
  for (auto& view : look_at_points(study_directory, study)) {
    const bool bad = view.outcome == Outcome::failed || view.outcome == Outcome::unusable;
    if (bad && retry_failed) {
      move_aside(view.directory);
      chosen.push_back(std::move(view));
    } else if (view.outcome == Outcome::missing && !view.queued) {
      chosen.push_back(std::move(view));
    }
  }
  return chosen;
}

std::vector<std::string> command_here(const Study& study, const PointView& view) {
  auto words = study::filled(study.command, {{"nodes", 1}, {"ranks", view.point.size}, {"repeat", view.point.repeat}});
  words.insert(words.begin() + 1, {fmt::format("--slipway-ranks={}", view.point.size),
                                   "--slipway-run-directory=" + view.directory.string()});
  return words;
}

// The program stops well at the first interrupt, and at once at the second.
void run_here(const Study& study, const PointView& view) {
  fs::create_directories(view.directory);
  const detail::OwnedDescriptor log(
      ::open((view.directory / "output.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (log.get() < 0) throw Error("cannot write " + (view.directory / "output.log").string());
  detail::ChildRequest request{.command = command_here(study, view),
                               .more_environment = {},
                               .own_process_group = true,
                               .empty_input = true,
                               .output = log.get(),
                               .error = log.get(),
                               .signal_at_death_of_parent = SIGTERM};
  for (const auto& [name, value] : study.environment) request.more_environment.push_back(name + "=" + value);
  const pid_t child = detail::start_child(request);
  int handed_on = interrupts.load();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    const int now = interrupts.load();
    if (now > std::exchange(handed_on, now)) ::kill(child, SIGINT);
  }
}

int run_all_here(const fs::path& study_directory, const Study& study, const std::vector<PointView>& points) {
  const CountInterrupts counting;
  bool all_good = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointView& view = points[i];
    run_here(study, view);
    if (interrupts.load() > 0) {
      say("interrupted; go on by: slipway sweep --retry-failed --resume " + study_directory.string());
      return static_cast<int>(ExitStatus::preempted);
    }
    const auto measured = study::measure(view.directory, view.point, 0);
    const bool good = measured.outcome == Outcome::good;
    say(fmt::format("[{}/{}] {}: {}", i + 1, points.size(), name_of(study, view.point),
                    good ? fmt::format("ran {:.3g} s", measured.running)
                         : fmt::format("{} ({}); see {}", to_string(measured.outcome), measured.why,
                                       (view.directory / "output.log").string())));
    all_good = all_good && good;
  }
  return all_good ? 0 : static_cast<int>(ExitStatus::node_failed);
}

void record_job(const fs::path& directory, const Study& study, const std::string& id) {
  write_record(directory,
               {.ids = {id}, .machine = study.machine, .command = study.command, .command_line = study.command_line});
}

void submit_each(const Study& study, const std::vector<PointView>& points, bool one_at_a_time) {
  std::string before;
  for (const auto& view : points) {
    std::vector<std::string> more;
    if (one_at_a_time && !before.empty()) more.push_back("--dependency=afterany:" + before);
    before = submit_script(view.directory / script_file, more).id;
    record_job(view.directory, study, before);
    say(fmt::format("job {}: {}", before, name_of(study, view.point)));
  }
}

int wait_for_points(const fs::path& study_directory, const Study& study) {
  const CountInterrupts counting;
  constexpr auto pause = std::chrono::seconds(2);  // the scheduler serves others as well
  std::size_t known = 0;
  while (true) {
    const auto points = look_at_points(study_directory, study);
    const auto at_rest = static_cast<std::size_t>(
        std::count_if(points.begin(), points.end(), [](const PointView& view) { return view.at_rest(); }));
    if (at_rest != std::exchange(known, at_rest)) say(fmt::format("{} of {} points are done", at_rest, points.size()));
    if (at_rest == points.size()) {
      const bool good = std::all_of(points.begin(), points.end(),
                                    [](const PointView& view) { return view.outcome == Outcome::good; });
      return good ? 0 : static_cast<int>(ExitStatus::node_failed);
    }
    std::this_thread::sleep_for(pause);
    if (interrupts.load() > 0) {
      say("no longer waiting; the jobs go on. See: slipway status " + study_directory.string());
      return static_cast<int>(ExitStatus::preempted);
    }
  }
}

}  // namespace

int run_points(const fs::path& study_directory, const Study& study, const Effort& effort) {
  const auto points = points_to_run(study_directory, study, effort.retry_failed);
  if (points.empty()) {
    say("no point is left to run");
  } else if (study.runner == study::Runner::local) {
    return run_all_here(study_directory, study, points);
  } else if (study.runner == study::Runner::steps) {
    const auto id = submit_script(study_directory / series_file).id;
    record_job(study_directory, study, id);
    say(fmt::format("job {}: {} points", id, points.size()));
  } else {
    submit_each(study, points, effort.one_at_a_time);
  }
  return effort.wait ? wait_for_points(study_directory, study) : 0;
}

}  // namespace slipway::tool
