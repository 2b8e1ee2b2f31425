// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string_view>

#include "arguments.hpp"
#include "command_line.hpp"
#include "job_options.hpp"
#include "program_plan.hpp"
#include "sbatch.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/wall_clock.hpp"
#include "slipway/slurm/batch_script.hpp"
#include "study_runner.hpp"
#include "study_state.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;
using study::Point;
using study::Runner;
using study::Study;

namespace {

struct SweepChoice {
  std::string nodes;
  std::string ranks;
  std::uint32_t repeats = 5;
  bool weak = false;
  std::string as;
  std::optional<std::uint64_t> seed;
  std::string base = "studies";
  std::string resume;
  bool one_at_a_time = false;
  Effort effort;
};

// The job of a run of each size.
using Jobs = std::map<std::uint32_t, slurm::JobSpec>;

Runner runner_of(const SweepChoice& choice) {
  if (choice.nodes.empty() == choice.ranks.empty()) {
    throw UsageError("a study needs sizes. Give --nodes 1,2,4 (jobs of a cluster) or --ranks 1,2,4 (this machine)");
  }
  const bool here = !choice.ranks.empty();
  if (choice.as.empty()) return here ? Runner::local : Runner::jobs;
  const auto named = choice.as == "jobs" ? Runner::jobs : choice.as == "steps" ? Runner::steps : Runner::local;
  if (here != (named == Runner::local)) {
    throw UsageError("--as " + choice.as +
                     " does not fit the sizes (this machine is one node, and is counted in ranks). Use --nodes with "
                     "jobs or steps, and --ranks with local");
  }
  return named;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

Study design(const JobOptions& options, const SweepChoice& choice) {
  Study study;
  study.name = options.run_name();
  study.scaling = choice.weak ? study::Scaling::weak : study::Scaling::strong;
  study.runner = runner_of(choice);
  const bool here = study.runner == Runner::local;
  study.unit = here ? "ranks" : "nodes";
  if (choice.repeats == 0) {
    throw UsageError("--repeat 0 runs nothing (5 or more make a median). Give a number from 1 on");
  }
  const auto sizes = study::parse_sizes("--" + study.unit, here ? choice.ranks : choice.nodes);
  study.seed = choice.seed ? *choice.seed : std::random_device()();
  study.order = study::shuffled_points(sizes, choice.repeats, study.seed);
  study.command = options.command();
  study.command_line = own_command_line();
  study.machine = here ? host_name() : options.machine().name;
  if (const char* const modules = ::getenv("LOADEDMODULES")) study.modules = modules;
  study.binding = here ? "none: ranks may use all cores" : options.machine().cpu_bind;
  study.environment = options.exports();
  if (options.time().count() > 0) study.environment["SLIPWAY_TIME_LIMIT"] = fmt::format("{}s", options.time().count());
  study.one_at_a_time = choice.one_at_a_time;
  study.made = wall_now();
  if (here) {
    for (const std::uint32_t size : sizes) study.ranks[size] = size;
  }
  if (choice.weak && !study::uses(study.command, "nodes") && !study::uses(study.command, "ranks")) {
    fmt::print(
        stderr,
        "slipway: note: the program's arguments are the same at all sizes (--weak means that the work grows with "
        "the size); write {{nodes}}, {{ranks}} or {{nodes*1000}} in them, unless the program does that itself\n");
  }
  return study;
}

std::map<std::string, std::uint64_t> values_at(const JobOptions& options, Point point) {
  std::map<std::string, std::uint64_t> values{{"nodes", point.size}, {"repeat", point.repeat}};
  if (const auto ranks = options.ranks_per_node()) values["ranks"] = std::uint64_t{*ranks} * point.size;
  return values;
}

// One job a size: the layout is the same for all repeats. Throws what is wrong with any of them.
Jobs jobs_by_size(const JobOptions& options, const Study& study) {
  if (options.has_parts()) {
    throw UsageError("--part cannot stand in a study (its sizes are those of equal nodes). Leave it out");
  }
  Jobs jobs;
  for (const std::uint32_t size : sizes_of(study)) {
    const JobOptions sized = options.at_size(size, study::filled(study.command, values_at(options, {size, 1})));
    slurm::JobSpec job = sized.job(sized.layout());
    job.run_directory = "/";  // any: the true one is made only when all else is right
    job.made_by = study.command_line;
    job.notice.most_restarts = 0;  // what goes on in a second attempt is no measurement
    job.notice.requeue_on_node_failure = false;
    if (study.runner == Runner::steps) {  // the job's limit is that of all points
      job.notice.margin = std::chrono::seconds(0);
      job.environment = study.environment;
    }
    static_cast<void>(slurm::batch_script(job, options.machine()));
    check_placement(job, options.machine());
    jobs.emplace(size, std::move(job));
  }
  return jobs;
}

slurm::JobSpec series_job(const JobOptions& options, const Study& study, const Jobs& jobs) {
  slurm::JobSpec job = jobs.rbegin()->second;
  job.name = study.name + "-study";
  job.notice.margin = std::chrono::seconds(0);
  job.time = options.time() * study.order.size();
  return job;
}

void write_points(const fs::path& directory, const JobOptions& options, const Study& study, const Jobs& jobs) {
  std::vector<std::string> in_order;
  for (const Point& point : study.order) {
    slurm::JobSpec job = jobs.at(point.size);
    job.command = study::filled(study.command, values_at(options, point));
    job.name = fmt::format("{}-{}-run-{}", study.name, point.size, point.repeat);
    job.run_directory = directory_of(directory, study, point).string();
    fs::create_directories(job.run_directory);
    write_file_atomically(fs::path(job.run_directory) / script_file, slurm::batch_script(job, options.machine()));
    in_order.push_back(job.run_directory);
  }
  if (study.runner != Runner::steps) return;
  slurm::JobSpec series = series_job(options, study, jobs);
  series.run_directory = directory.string();
  write_file_atomically(directory / series_file, slurm::series_script(series, options.machine(), in_order));
}

void print_design(const Study& study) {
  fmt::print("{} study of {}: {} points, {}, seed {}\n", to_string(study.scaling), study.name, study.order.size(),
             to_string(study.runner), study.seed);
}

void print_order(const Study& study) {
  for (const Point& point : study.order) fmt::print("{}\n", point_text(point, study.unit));
}

// That the program has a place for its graph on so many ranks of this machine, and understands its arguments. Others
// than slipway's are not asked: they might begin their work.
void check_here(const Study& study) {
  if (!is_slipway_program(study.command.front())) return;
  for (const std::uint32_t size : sizes_of(study)) {
    const auto command = study::filled(study.command, {{"nodes", 1}, {"ranks", size}, {"repeat", 1}});
    static_cast<void>(plan_of(command, {fmt::format("--slipway-ranks={}", size), "--slipway-plan=json"}));
  }
}

// All that is wrong with any size is thrown here.
Jobs check_jobs(const JobOptions& options, Study& study) {
  Jobs jobs = jobs_by_size(options, study);
  for (const auto& [size, job] : jobs) {
    study.ranks[size] = job.node_sets.front().nodes * job.node_sets.front().ranks_per_node;
  }
  const auto whole = study.runner == Runner::steps ? series_job(options, study, jobs) : jobs.rbegin()->second;
  static_cast<void>(study.runner == Runner::steps ? slurm::series_script(whole, options.machine(), {"/"})
                                                  : slurm::batch_script(whole, options.machine()));
  for (const auto& warning : slurm::warnings_of(whole, options.machine())) {
    fmt::print(stderr, "slipway: warning: {}\n", warning);
  }
  return jobs;
}

int begin(JobOptions& options, const SweepChoice& choice) {
  if (choice.effort.retry_failed) throw UsageError("--retry-failed is for --resume (a new study has no failed points)");
  options.complete();
  if (options.show_origin()) {
    fmt::print("{}", options.origins());
    return 0;
  }
  Study study = design(options, choice);
  Jobs jobs;
  if (study.runner == Runner::local) {
    check_here(study);
  } else {
    jobs = check_jobs(options, study);
    if (!choice.effort.dry_run && !slurm_is_here()) run_slurm({"sbatch", "--version"});  // says what is missing
  }
  print_design(study);
  if (choice.effort.dry_run) {
    print_order(study);
    return 0;
  }
  const fs::path directory = fs::canonical(make_dated_directory(choice.base, study.name));
  if (study.runner != Runner::local) write_points(directory, options, study, jobs);
  write_study(directory, study);
  point_latest_to(directory);
  fmt::print("{}\n", directory.string());
  std::fflush(stdout);
  return run_points(directory, choice.effort);
}

// Everything else was said when the study was made, and cannot be changed: its points would not be alike.
void refuse_others(const Verb& verb) {
  static constexpr std::array<std::string_view, 4> allowed{"resume", "retry-failed", "wait", "dry-run"};
  for (const std::string& option : verb.options()) {
    if (!verb.is_given(option) || std::count(allowed.begin(), allowed.end(), option) > 0) continue;
    throw UsageError("--" + option +
                     " cannot be changed by --resume (the points of a study must be alike). Leave it out, or make a "
                     "new study");
  }
  const std::vector<std::string> program = verb.program();
  if (!program.empty()) {
    throw UsageError("--resume goes on with the program of the study. Leave " + program.front() + " out");
  }
}

int go_on(const Verb& verb, const SweepChoice& choice) {
  refuse_others(verb);
  const auto directory = find_study(choice.resume);
  if (!directory) throw UsageError("there is no study " + choice.resume + " (nor studies/" + choice.resume + ")");
  return run_points(*directory, choice.effort);
}

}  // namespace

void add_sweep(Arguments& arguments) {
  Verb verb = arguments.add_verb("sweep", "Runs a program at several sizes, several times each.");
  const auto options = std::make_shared<JobOptions>();
  const auto choice = std::make_shared<SweepChoice>();
  const char* const group = "Study";
  verb.add("-N,--nodes", &choice->nodes, "numbers of hosts: 1,2,4,8", {.group = group});
  verb.add("--ranks", &choice->ranks, "numbers of ranks on this machine: 1,2,4", {.group = group});
  verb.add("--repeat", &choice->repeats, "runs of each size; default: 5", {.group = group});
  verb.add("--weak", &choice->weak, "the work grows with the size; else it is the same", {.group = group});
  verb.add("--as", &choice->as, "jobs: one a run; steps: all in one job; local: here",
           {.group = group, .one_of = {"jobs", "steps", "local"}});
  verb.add("--seed", &choice->seed, "of the order of the runs; default: a new one", {.group = group});
  verb.add("--study-base", &choice->base, "where study directories are made; default: studies", {.group = group});
  verb.add("--resume", &choice->resume, "go on with this study", {.group = group});
  verb.add("--retry-failed", &choice->effort.retry_failed,
           "with --resume: run failed points again; what they left is kept", {.group = group});
  verb.add("--one-at-a-time", &choice->one_at_a_time, "each job waits for the one before", {.group = group});
  verb.add("--wait", &choice->effort.wait, "until all runs are over", {.group = group});
  verb.add("--dry-run", &choice->effort.dry_run, "print the runs that would be made, in their order", {.group = group});
  options->add_to(verb, JobOptions::Sizes::many);
  verb.set_examples(
      "Examples: slipway sweep --nodes 1,2,4,8 --time 20m ./train --epochs 10\n"
      "          slipway sweep --ranks 1,2,4 --weak ./simulate --cells {ranks*100000}\n"
      "          slipway sweep --resume studies/train-20261130-101500 --retry-failed\n"
      "Then:     slipway report studies/train-20261130-101500");
  verb.set_work(
      [verb, options, choice] { return choice->resume.empty() ? begin(*options, *choice) : go_on(verb, *choice); });
}

}  // namespace slipway::tool
