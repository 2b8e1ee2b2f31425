// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "verbs.hpp"

namespace slipway::tool {

namespace {

constexpr std::string_view before_verbs = R"bash(# bash completion for slipway: eval "$(slipway completion)"
_slipway() {
  local word=${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ")bash";
constexpr std::string_view before_cases = R"bash(" -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
)bash";
constexpr std::string_view after_cases = R"bash(    *) words="" ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _slipway slipway
)bash";

std::string option_words(const CLI::App& verb) {
  std::string words;
  for (const CLI::Option* const option : verb.get_options()) {
    for (const auto& name : option->get_lnames()) words += " --" + name;
  }
  return words;
}

// Verbs first, then the verb's options, and files wherever a word is no option.
int print_completion(const CLI::App& app) {
  std::string verbs;
  std::string cases;
  for (const CLI::App* const verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs += " " + verb->get_name();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb->get_name(), option_words(*verb));
  }
  fmt::print("{}{}{}{}{}", before_verbs, verbs.substr(1), before_cases, cases, after_cases);
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, Chosen& chosen) {
  auto* const verb = app.add_subcommand("completion", "Prints what bash needs to complete verbs and options.");
  verb->footer("\nExample: eval \"$(slipway completion)\"    # in ~/.bashrc");
  verb->callback([&app, &chosen] { chosen = [&app] { return print_completion(app); }; });
}

}  // namespace slipway::tool
