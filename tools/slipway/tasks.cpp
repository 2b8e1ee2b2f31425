// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "arguments.hpp"
#include "job_record.hpp"
#include "task_history/summary.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

struct TasksQuestion {
  std::string run = "latest";
  std::uint32_t attempt = 0;
  std::uint32_t top = 10;
  bool list = false;
  bool json = false;
};

int show_tasks(const TasksQuestion& question) {
  const auto history = task_history::read_history(find_run(question.run), question.attempt);
  if (question.list) {
    fmt::print("{}", task_history::list_text(history));
    return 0;
  }
  const auto summary = task_history::summarize(history);
  fmt::print("{}", question.json ? task_history::to_json(history, summary)
                                 : task_history::to_text(history, summary, question.top));
  return 0;
}

}  // namespace

void add_tasks(Arguments& arguments) {
  Verb verb = arguments.add_verb("tasks", "Shows what the tasks of a run did, and what the pending ones wait for.");
  const auto question = std::make_shared<TasksQuestion>();
  verb.add("RUN", &question->run, "the run directory, or its name below runs/; default: the latest");
  verb.add("--attempt", &question->attempt, "of a run that was started again; default: the last one");
  verb.add("--top", &question->top, "pending tasks that are shown; default: 10");
  verb.add("--list", &question->list,
           "one line a task: id, seconds since the first, running time, how it ended, where it ran, who submitted it");
  verb.add("--json", &question->json, "as data");
  verb.set_examples("Example: slipway tasks latest --top 3");
  verb.set_work([question] { return show_tasks(*question); });
}

}  // namespace slipway::tool
