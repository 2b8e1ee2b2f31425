// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/status.hpp"
#include "verbs.hpp"

namespace {

using namespace slipway;

constexpr const char* footer = R"(
Exit statuses: 0 good, 1 a node failed, 2 bad usage (nothing was started), 3 a rank was lost, 75 stopped before its
end and may go on, 124 time limit. `status` and `submit --wait` end with the status of the run.
'slipway VERB --help' shows the options of a verb, and examples.)";

int refuse(const std::string& problem) {
  std::fprintf(stderr, "slipway: %s\n", problem.c_str());
  return static_cast<int>(ExitStatus::usage);
}

int run(int argc, char** argv) {
  CLI::App app("Runs, submits and follows slipway programs.", "slipway");
  app.footer(footer);
  app.require_subcommand(1);
  tool::Chosen chosen;
  tool::add_run(app, chosen);
  tool::add_plan(app, chosen);
  tool::add_script(app, chosen);
  tool::add_submit(app, chosen);
  tool::add_status(app, chosen);
  tool::add_logs(app, chosen);
  tool::add_cancel(app, chosen);
  tool::add_save(app, chosen);
  tool::add_resume(app, chosen);
  tool::add_requeue(app, chosen);
  tool::add_sweep(app, chosen);
  tool::add_report(app, chosen);
  tool::add_machines(app, chosen);
  tool::add_doctor(app, chosen);
  tool::add_completion(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ExtrasError&) {  // CLI11 does not end options at "--" before a program
    const auto mark =
        std::find_if(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
    if (mark == argv + argc) throw UsageError("unexpected words on the command line; see slipway --help");
    std::vector<char*> without(argv, mark);
    without.insert(without.end(), mark + 1, argv + argc);
    without.push_back(nullptr);
    return run(argc - 1, without.data());
  } catch (const CLI::ParseError& error) {
    std::vector<std::string> names;
    for (const auto* const verb : app.get_subcommands({})) names.push_back(verb->get_name());
    const bool unknown_verb = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    if (unknown_verb) {
      return refuse("there is no verb '" + std::string(argv[1]) + "' (did you mean '" + nearest(argv[1], names) +
                    "'?); see slipway --help");
    }
    return refuse(std::string(error.what()) + "; see slipway --help");
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}
