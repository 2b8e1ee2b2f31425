// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <thread>

#include "run_state.hpp"

namespace slipway::tool {

namespace {

using namespace std::chrono_literals;

constexpr auto log_pause = 200ms;
constexpr int pauses_between_questions = 10;  // the scheduler serves others as well
constexpr int questions_without_answer = 30;

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

void GrowingFiles::read_new_lines(const std::function<void(const std::string& line)>& each) {
  std::set<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, absent)) {
    if (wanted_(entry.path().filename())) names.insert(entry.path().filename());
  }
  for (const auto& name : names) {
    std::ifstream file(directory_ / name);
    std::streamoff& at = read_[name];
    file.seekg(at);
    for (std::string line; std::getline(file, line) && !file.eof();) {  // a line without its end is not complete
      at = file.tellg();
      each(line);
    }
  }
}

// "slurm-17.out"; of elements of an array "slurm-17_3.out", beside each other.
GrowingFiles logs_of_job(const std::filesystem::path& run_directory) {
  const auto element = element_place(run_directory);
  const std::string end = element ? fmt::format("_{}.out", element->index) : "";
  return {element ? element->array : run_directory,
          [end](const std::string& name) { return name.starts_with("slurm-") && name.ends_with(end); }};
}

int follow_to_end(const std::filesystem::path& run_directory) {
  GrowingFiles log = logs_of_job(run_directory);
  int unanswered = 0;
  while (true) {
    const RunView run = look_at(run_directory);
    log.read_new_lines(print_line);
    if (run.scheduler && is_over(run.scheduler->verdict)) return exit_status_of(look_at(run_directory));
    unanswered = run.scheduler ? 0 : unanswered + 1;
    if (unanswered > questions_without_answer) {
      if (run.status && run.status->exit_status) return exit_status_of(run);
      fmt::print(stderr, "slipway: the scheduler does not answer for this job; see slipway status\n");
      return static_cast<int>(ExitStatus::rank_lost);
    }
    for (int pause = 0; pause < pauses_between_questions; ++pause) {
      std::this_thread::sleep_for(log_pause);
      log.read_new_lines(print_line);
    }
  }
}

}  // namespace slipway::tool
