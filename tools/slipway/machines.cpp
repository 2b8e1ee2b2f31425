// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "machine_choice.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

int list_machines() {
  const auto path = machine_path_here();
  const auto here = machine_here();
  for (const auto& [name, file] : slurm::find_machines(path)) {
    const auto machine = slurm::load_machine(name, path);
    fmt::print("{:<16} {}{}\n", name, machine.description, here == name ? " (this machine)" : "");
  }
  return 0;
}

}  // namespace

void add_machines(CLI::App& app, Chosen& chosen) {
  auto* const verb = app.add_subcommand("machines", "Lists the machines that have a profile, or shows one.");
  verb->require_subcommand(0, 1);
  verb->footer("\nExample: slipway machines show perlmutter");
  verb->callback([&chosen] {
    if (!chosen) chosen = list_machines;
  });
  auto* const show = verb->add_subcommand("show", "Prints a profile, with all that it inherits, as JSON.");
  const auto name = std::make_shared<std::string>();
  show->add_option("NAME", *name, "of the machine")->required();
  show->callback([&chosen, name] {
    chosen = [name] {
      fmt::print("{}", slurm::to_json(slurm::load_machine(*name, machine_path_here())));
      return 0;
    };
  });
}

}  // namespace slipway::tool
