// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "arguments.hpp"
#include "slipway/base/error.hpp"
#include "slipway/runtime/core_files.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

struct RunRequest {
  std::optional<std::uint32_t> ranks;
  bool in_process = false;
  std::optional<std::uint32_t> debug;
  bool core_dumps = false;
};

// Ranks inherit the limit.
void prepare_core_dumps() {
  allow_core_files();
  fmt::print(stderr, "slipway: {}\n", where_cores_go(core_pattern(), std::filesystem::current_path().string()));
}

// This process becomes the program, which starts its own ranks.
int run_program(const RunRequest& request, std::vector<std::string> words) {
  if (words.empty()) throw UsageError("no program is given; name it after the options");
  std::vector<std::string> flags;
  if (request.ranks) flags.push_back("--slipway-ranks=" + std::to_string(*request.ranks));
  if (request.in_process) flags.emplace_back("--slipway-launcher=local");
  if (request.debug) {  // limits of time are for those who do not look
    flags.push_back("--slipway-debug-rank=" + std::to_string(*request.debug));
    flags.insert(flags.end(), {"--slipway-start-limit=0", "--slipway-stall-after=0"});
  }
  words.insert(words.begin() + 1, flags.begin(), flags.end());
  if (request.core_dumps) prepare_core_dumps();
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  throw UsageError(words.front() + " cannot be run (" + std::strerror(errno) + "); correct the path");
}

}  // namespace

void add_run(Arguments& arguments) {
  Verb verb = arguments.add_verb("run", "Runs a program here and now, by mpirun or in one process.");
  const auto request = std::make_shared<RunRequest>();
  verb.takes_program();
  verb.add("-n,--ranks", &request->ranks, "number of ranks; default: what the plan wants");
  verb.add("--in-process", &request->in_process, "all ranks are threads of one process");
  verb.add("--debug", &request->debug, "this rank waits for a debugger, and says how to attach one");
  verb.add("--core-dumps", &request->core_dumps, "a rank that crashes leaves a core file; says where");
  verb.set_examples("Example: slipway run -n 4 ./train --epochs 10");
  verb.set_work([verb, request] { return run_program(*request, verb.program()); });
}

}  // namespace slipway::tool
