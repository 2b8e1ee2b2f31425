// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "arguments.hpp"
#include "job_record.hpp"
#include "slipway/base/error.hpp"
#include "task_history/trace.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

struct TraceQuestion {
  std::string run = "latest";
  std::uint32_t attempt = 0;
  std::string output;
};

int write_trace_file(const TraceQuestion& question) {
  const auto directory = find_run(question.run);
  const auto history = task_history::read_history(directory, question.attempt);
  const std::filesystem::path path =
      question.output.empty() ? directory / "trace.json" : std::filesystem::path(question.output);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (!file) {
    throw UsageError(
        fmt::format("cannot write {} ({}). Name another file with --output", path.string(), std::strerror(errno)));
  }
  task_history::write_trace(history, file.get());
  fmt::print("{}: {} tasks; open it in https://ui.perfetto.dev\n", path.string(), history.tasks.size());
  return 0;
}

}  // namespace

void add_trace(Arguments& arguments) {
  Verb verb = arguments.add_verb("trace", "Writes the timeline of the tasks of a run, for Perfetto.");
  const auto question = std::make_shared<TraceQuestion>();
  verb.add("RUN", &question->run, "the run directory, or its name below runs/; default: the latest");
  verb.add("-o,--output", &question->output, "the file; default: trace.json in the run directory");
  verb.add("--attempt", &question->attempt, "of a run that was started again; default: the last one");
  verb.set_examples("Example: slipway trace latest -o trace.json");
  verb.set_work([question] { return write_trace_file(*question); });
}

}  // namespace slipway::tool
