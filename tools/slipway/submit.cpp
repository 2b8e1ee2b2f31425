// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "follow.hpp"
#include "interrupts.hpp"
#include "job_options.hpp"
#include "job_record.hpp"
#include "program_plan.hpp"
#include "sbatch.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/slurm/batch_script.hpp"
#include "slipway/slurm/scheduler_text.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;

namespace {

// The job but for its run directory, which is made only when all else is right. Says what may go wrong, and why the
// numbers are what they are.
slurm::JobSpec prepare(const JobOptions& options) {
  const auto layout = options.layout();
  slurm::JobSpec job = options.job(layout);
  job.run_directory = (fs::absolute(options.run_base()) / options.run_name()).lexically_normal().string();
  job.made_by = own_command_line();
  static_cast<void>(slurm::batch_script(job, options.machine()));  // throws what is wrong
  check_placement(job, options.machine());
  fmt::print(stderr, "machine {}\n{}", options.machine().name, layout.why);
  for (const auto& warning : slurm::warnings_of(job, options.machine())) {
    fmt::print(stderr, "slipway: warning: {}\n", warning);
  }
  return job;
}

fs::path make_run(const JobOptions& options, slurm::JobSpec job) {
  const RunDirectory run = RunDirectory::create(options.run_base(), options.run_name());
  const fs::path directory = fs::canonical(run.path());
  job.run_directory = directory.string();
  run.write(script_file, slurm::batch_script(job, options.machine()));
  return directory;
}

// Whether only the origins of the values were asked for; they are printed.
bool only_origins(JobOptions& options) {
  options.complete();
  if (options.show_origin()) fmt::print("{}", options.origins());
  return options.show_origin();
}

int print_script(JobOptions& options, bool dry_run) {
  if (only_origins(options)) return 0;
  const auto job = prepare(options);
  if (dry_run) {
    fmt::print("{}", slurm::batch_script(job, options.machine()));
    return 0;
  }
  fmt::print("{}\n", (make_run(options, job) / script_file).string());
  return 0;
}

struct SubmitChoice {
  bool wait = false;
  bool json = false;
  bool check = false;
  std::uint32_t chain = 1;
};

// Each takes the next attempt when the one before is over, and finds nothing to do once the run has ended well. What is
// queued is recorded at once. False: the user has interrupted it.
bool submit_chain(const fs::path& directory, JobRecord& record, std::uint32_t length) {
  const CountInterrupts interrupts;
  for (std::uint32_t job = 0; job < std::max(length, 1u); ++job) {
    std::vector<std::string> more;
    if (job > 0) more.push_back("--dependency=afterany:" + record.ids.back());
    record.ids.push_back(submit_script(directory / script_file, more).id);
    write_record(directory, record);
    if (interrupts.so_far() > 0) return false;
  }
  return true;
}

// What the scheduler would say, without a job and without a trace.
int check_only(const JobOptions& options) {
  const fs::path script = fs::temp_directory_path() / ("slipway-check-" + std::to_string(::getpid()) + ".sh");
  write_file_atomically(script, slurm::batch_script(prepare(options), options.machine()), Durability::process);
  const auto result = run_sbatch({"--test-only"}, script);
  fs::remove(script);
  fmt::print(stderr, "{}{}", result.output, result.errors);
  return result.status == 0 ? 0 : static_cast<int>(ExitStatus::usage);
}

int submit(JobOptions& options, const SubmitChoice& choice) {
  if (only_origins(options)) return 0;
  if (choice.wait && !options.array().empty()) {
    throw UsageError("--wait follows one run (an array has many); leave one out, and see slipway status");
  }
  if (!slurm_is_here()) run_slurm({"sbatch", "--version"});  // says what is missing before anything is written
  if (choice.check) return check_only(options);
  const fs::path directory = make_run(options, prepare(options));
  JobRecord record{.machine = options.machine().name,
                   .command = options.command(),
                   .command_line = own_command_line(),
                   .array = options.array()};
  write_record(directory, record);
  if (!submit_chain(directory, record, choice.chain)) {
    fmt::print(stderr, "slipway: interrupted; job {} is queued: {}\n", fmt::join(record.ids, ", "), directory.string());
    return static_cast<int>(ExitStatus::preempted);
  }
  if (choice.json) {
    fmt::print("{}\n",
               nlohmann::ordered_json{{"job", record.ids.back()}, {"run_directory", directory.string()}}.dump());
  } else {
    fmt::print("job {}\n{}\n", fmt::join(record.ids, ", "), directory.string());
  }
  std::fflush(stdout);
  return choice.wait ? follow_to_end(directory) : 0;
}

int show_plan(JobOptions& options) {
  if (only_origins(options)) return 0;
  const auto layout = options.layout();
  fmt::print("machine {}\n{}", options.machine().name, layout.why);
  const slurm::JobSpec job = options.job(layout);
  const auto problems = slurm::problems_of(job, options.machine());
  for (const auto& problem : problems) fmt::print(stderr, "slipway: {}\n", problem);
  if (!problems.empty()) return static_cast<int>(ExitStatus::usage);
  fmt::print("\n{}", placement_of(job, options.machine()));
  return 0;
}

}  // namespace

void add_script(Arguments& arguments) {
  Verb verb = arguments.add_verb("script", "Writes the run directory and the batch script, and submits nothing.");
  const auto options = std::make_shared<JobOptions>();
  const auto dry_run = std::make_shared<bool>(false);
  options->add_to(verb);
  verb.add("--dry-run", dry_run.get(), "print the script, and write nothing at all");
  verb.set_examples("Example: slipway script --nodes 4 --time 1h --dry-run ./train --epochs 10");
  verb.set_work([options, dry_run] { return print_script(*options, *dry_run); });
}

void add_submit(Arguments& arguments) {
  Verb verb = arguments.add_verb("submit", "Writes the run directory and the batch script, and submits it.");
  const auto options = std::make_shared<JobOptions>();
  const auto choice = std::make_shared<SubmitChoice>();
  options->add_to(verb);
  verb.add("--wait", &choice->wait, "follow the log, and end with the program's status");
  verb.add("--json", &choice->json, "print job and run directory as JSON");
  verb.add("--chain", &choice->chain, "so many jobs, each after the one before, until the run has ended well");
  verb.add("--check", &choice->check, "only ask the scheduler whether it would take the job");
  verb.set_examples("Example: slipway submit --nodes 4 --time 1h --account project1 ./train --epochs 10");
  verb.set_work([options, choice] { return submit(*options, *choice); });
}

void add_plan(Arguments& arguments) {
  Verb verb = arguments.add_verb("plan", "Shows what a job would ask for, and why.");
  const auto options = std::make_shared<JobOptions>();
  options->add_to(verb);
  verb.set_examples("Example: slipway plan --machine lumi --nodes 4 ./train");
  verb.set_work([options] { return show_plan(*options); });
}

}  // namespace slipway::tool
