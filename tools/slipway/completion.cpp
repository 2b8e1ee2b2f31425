// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
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

// Verbs first, then the verb's options, and files wherever a word is no option.
int print_completion(const std::vector<Arguments::Summary>& summaries) {
  std::string verbs;
  std::string cases;
  for (const auto& [verb, options] : summaries) {
    verbs += " " + verb;
    std::string words = " --help";
    for (const auto& option : options) words += " --" + option;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb, words);
  }
  fmt::print("{}{}{}{}{}", before_verbs, verbs.substr(1), before_cases, cases, after_cases);
  return 0;
}

}  // namespace

void add_completion(Arguments& arguments) {
  Verb verb = arguments.add_verb("completion", "Prints what bash needs to complete verbs and options.");
  verb.set_examples("Example: eval \"$(slipway completion)\"    # in ~/.bashrc");
  verb.set_work([&arguments] { return print_completion(arguments.summaries()); });
}

}  // namespace slipway::tool
