// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "arguments.hpp"
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

void add_machines(Arguments& arguments) {
  Verb verb = arguments.add_verb("machines", "Lists the machines that have a profile, or shows one.");
  verb.set_examples("Example: slipway machines show perlmutter");
  verb.set_work(list_machines);
  Verb show = verb.add_verb("show", "Prints a profile, with all that it inherits, as JSON.");
  const auto name = std::make_shared<std::string>();
  show.add("NAME", name.get(), "of the machine", {.required = true});
  show.set_work([name] {
    fmt::print("{}", slurm::to_json(slurm::load_machine(*name, machine_path_here())));
    return 0;
  });
}

}  // namespace slipway::tool
