// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <regex>
#include <thread>

#include "arguments.hpp"
#include "array_run.hpp"
#include "follow.hpp"
#include "job_record.hpp"
#include "run_state.hpp"
#include "slipway/base/error.hpp"
#include "slipway/slurm/array_indexes.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

struct LogQuestion {
  std::string run = "latest";
  bool follow = false;
  bool job = false;
  bool first_error = false;
  std::string node;
  std::optional<std::uint32_t> rank;
  std::string pattern;
};

// "TIME HOST RANK NODE LEVEL text"
std::string word_of(const std::string& line, int number) {
  std::size_t start = 0;
  for (int i = 0; i < number && start != std::string::npos; ++i) {
    const std::size_t space = line.find(' ', start);
    start = space == std::string::npos ? space : space + 1;
  }
  return start == std::string::npos ? std::string() : line.substr(start, line.find(' ', start) - start);
}

class LineFilter {
 public:
  explicit LineFilter(const LogQuestion& question) : question_(question) {
    try {
      if (!question.pattern.empty()) pattern_.emplace(question.pattern);
    } catch (const std::regex_error& error) {
      throw UsageError("--grep '" + question.pattern + "' is no regular expression (" + error.what() + "); correct it");
    }
  }
  bool wants(const std::string& line) const {
    constexpr int rank_word = 2;
    constexpr int node_word = 3;
    constexpr int level_word = 4;
    if (question_.rank && word_of(line, rank_word) != std::to_string(*question_.rank)) return false;
    if (!question_.node.empty() && word_of(line, node_word) != question_.node) return false;
    if (question_.first_error && word_of(line, level_word) != "error") return false;
    return !pattern_ || std::regex_search(line, *pattern_);
  }

 private:
  const LogQuestion& question_;
  std::optional<std::regex> pattern_;
};

void print_line(const std::string& line) { fmt::print("{}\n", line); }

// An array has no logs but those of its job.
void refuse_array(const std::filesystem::path& directory) {
  const auto array = look_at_array(directory);
  if (!array) return;
  std::vector<std::uint32_t> begun;
  for (const auto& [index, run] : array->elements) {
    if (run.status) begun.push_back(index);
  }
  if (begun.empty()) throw UsageError(directory.string() + " is an array, and none of its elements has begun; wait");
  throw UsageError(
      fmt::format("{} is an array (each element has logs of its own: {}); name one, such as {}/{}, or say --job",
                  directory.string(), slurm::format_array(begun), directory.string(), begun.front()));
}

GrowingFiles logs_of_ranks(const std::filesystem::path& directory) {
  return {directory / "logs", [](const std::string& name) { return name.ends_with(".log"); }};
}

int show_logs(const LogQuestion& question) {
  const auto directory = find_run(question.run);
  if (!question.job) refuse_array(directory);
  const LineFilter filter(question);
  GrowingFiles files = question.job ? logs_of_job(directory) : logs_of_ranks(directory);
  std::vector<std::string> lines;
  const auto collect = [&](const std::string& line) {
    if (filter.wants(line)) lines.push_back(line);
  };
  while (true) {
    const bool over = !question.follow || is_over(verdict_of(look_at(directory)));
    files.read_new_lines(collect);
    if (!question.job) std::stable_sort(lines.begin(), lines.end());  // lines begin with their time
    if (question.first_error && lines.size() > 1) lines.resize(1);
    std::for_each(lines.begin(), lines.end(), print_line);
    std::fflush(stdout);
    if (over || (question.first_error && !lines.empty())) return 0;
    lines.clear();
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace

void add_logs(Arguments& arguments) {
  Verb verb = arguments.add_verb("logs", "Shows the lines of all ranks in the order of time.");
  const auto question = std::make_shared<LogQuestion>();
  verb.add("RUN", &question->run, "the run directory, or its name below runs/; default: the latest");
  verb.add("-f,--follow", &question->follow, "go on until the run is over");
  verb.add("--node", &question->node, "only lines of this node, by its label");
  verb.add("--rank", &question->rank, "only lines of this rank");
  verb.add("--grep", &question->pattern, "only lines in which this regular expression is found");
  verb.add("--first-error", &question->first_error, "only the first line that is an error");
  verb.add("--job", &question->job, "the log of the batch job instead: what the script and the launcher printed");
  verb.set_examples("Example: slipway logs latest --node learner --grep 'loss [0-9.]+'");
  verb.set_work([question] { return show_logs(*question); });
}

}  // namespace slipway::tool
