// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "slipway/observe/status.hpp"
#include "verbs.hpp"

namespace {

constexpr const char* footer = R"(
Exit statuses: 0 good, 1 a node failed, 2 bad usage (nothing was started), 3 a rank was lost, 75 stopped before its
end and may go on, 124 time limit. `status` and `submit --wait` end with the status of the run.
'slipway VERB --help' shows the options of a verb, and examples.)";

int run(const std::vector<std::string>& words) {
  using namespace slipway::tool;
  Arguments arguments("Runs, submits and follows slipway programs.", footer);
  add_run(arguments);
  add_plan(arguments);
  add_script(arguments);
  add_submit(arguments);
  add_status(arguments);
  add_logs(arguments);
  add_tasks(arguments);
  add_trace(arguments);
  add_cancel(arguments);
  add_save(arguments);
  add_resume(arguments);
  add_requeue(arguments);
  add_sweep(arguments);
  add_report(arguments);
  add_machines(arguments);
  add_doctor(arguments);
  add_completion(arguments);
  return arguments.run(words);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "slipway: %s\n", error.what());
    return static_cast<int>(slipway::ExitStatus::usage);
  }
}
