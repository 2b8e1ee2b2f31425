// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_processes.hpp"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "slipway/observe/run_directory.hpp"

namespace slipway::detail {

namespace fs = std::filesystem;

namespace {

fs::path proc(pid_t process) { return fs::path("/proc") / std::to_string(process); }

bool is_proxy(pid_t process) {
  std::ifstream input(proc(process) / "comm");
  std::string name;
  return input >> name && name.starts_with("hydra_");
}

// Ranks are children of Open MPI's mpirun, and of the proxies that MPICH's starts. Each may end while it is looked at.
void add_ranks_below(pid_t launcher, std::vector<pid_t>& ranks) {
  std::error_code gone;
  fs::directory_iterator thread(proc(launcher) / "task", gone);
  for (; !gone && thread != fs::directory_iterator(); thread.increment(gone)) {
    std::ifstream input(thread->path() / "children");
    for (pid_t child = 0; input >> child;) {
      if (is_proxy(child)) {
        add_ranks_below(child, ranks);
      } else {
        ranks.push_back(child);
      }
    }
  }
}

// Zero-separated "NAME=value", as /proc has it, with a zero in front so that names can be found by their start.
std::string environment_of(pid_t process) {
  return std::string(1, '\0') + read_file(proc(process) / "environ").value_or("");
}

std::string value_in(const std::string& environment, const std::string& name) {
  const std::string start = std::string(1, '\0') + name + "=";
  const auto at = environment.find(start);
  if (at == std::string::npos) return {};
  const auto begin = at + start.size();
  return environment.substr(begin, environment.find('\0', begin) - begin);
}

bool is_segment_name(const std::string& name) {
  return name.starts_with("vader_segment.") || name.starts_with("sm_segment.");
}

// "sm_segment.host.0.1a2b0001." of a segment that the process has mapped.
std::string mapped_job_name(pid_t process) {
  std::ifstream input(proc(process) / "maps");
  for (std::string line; std::getline(input, line);) {
    const auto at = line.find("/dev/shm/");
    if (at == std::string::npos) continue;
    const std::string name = fs::path(line.substr(at)).filename().string();
    if (is_segment_name(name)) return name.substr(0, name.rfind('.') + 1);
  }
  return {};
}

// Open MPI 4 writes its job number in hexadecimal into the names of its segments.
std::string job_name_of_number(const std::string& decimal) {
  unsigned long number = 0;
  const auto read = std::from_chars(decimal.data(), decimal.data() + decimal.size(), number);
  if (decimal.empty() || read.ec != std::errc()) return {};
  char digits[24];
  const auto written = std::to_chars(digits, digits + sizeof digits, number, 16);
  return "." + std::string(digits, written.ptr) + ".";
}

}  // namespace

RankProcesses::RankProcesses(pid_t mpirun, std::uint32_t ranks, const std::string& run_directory)
    : mpirun_(mpirun),
      ranks_(ranks),
      mark_(std::string(1, '\0') + "SLIPWAY_RUN_DIRECTORY=" + run_directory + std::string(1, '\0')) {}

void RankProcesses::look() {
  std::vector<pid_t> ranks;
  add_ranks_below(mpirun_, ranks);
  present_ = static_cast<std::uint32_t>(ranks.size());
  seen_.insert(ranks.begin(), ranks.end());
  complete_ = complete_ || present_ >= ranks_;
  if (!ranks.empty() && (job_in_names_.empty() || session_folder_.empty())) learn_litter(ranks.front());
}

bool RankProcesses::is_ours(pid_t process) const { return environment_of(process).find(mark_) != std::string::npos; }

bool RankProcesses::signal_all(int signal) const {
  bool some = false;
  for (const pid_t process : seen_) {
    if (!is_ours(process)) continue;
    some = ::kill(process, signal) == 0 || some;
  }
  return some;
}

void RankProcesses::learn_litter(pid_t rank) {
  const std::string environment = environment_of(rank);
  if (session_folder_.empty()) session_folder_ = value_in(environment, "OMPI_MCA_orte_jobfam_session_dir");
  if (session_folder_.empty()) session_folder_ = value_in(environment, "PMIX_SERVER_TMPDIR");  // Open MPI 5
  if (job_in_names_.empty()) job_in_names_ = job_name_of_number(value_in(environment, "OMPI_MCA_ess_base_jobid"));
  if (job_in_names_.empty()) job_in_names_ = mapped_job_name(rank);
}

void RankProcesses::remove_litter() const {
  std::error_code ignored;
  if (!job_in_names_.empty()) {
    std::vector<fs::path> segments;
    for (const auto& entry : fs::directory_iterator("/dev/shm", ignored)) {
      const std::string name = entry.path().filename().string();
      if (is_segment_name(name) && name.find(job_in_names_) != std::string::npos) segments.push_back(entry.path());
    }
    for (const auto& segment : segments) fs::remove(segment, ignored);
  }
  // The name is checked, since what a variable says is about to be removed.
  const fs::path folder = session_folder_;
  const std::string process = std::to_string(mpirun_);
  if (folder.filename() == "pid." + process || folder.filename() == "ompi." + process) fs::remove_all(folder, ignored);
}

}  // namespace slipway::detail
