// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"

namespace slipway::tool {

namespace {

bool any_verb(const CLI::App*) { return true; }

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    if (!option->get_lnames().empty() && option->get_lnames().front() != "help") {
      names.push_back(option->get_lnames().front());
    }
  }
  return names;
}

CLI::Option& add_to(CLI::App& app, const std::string& names, Target target, const std::string& meaning) {
  return *std::visit(
      [&]<class T>(T* value) {
        if constexpr (std::is_same_v<T, bool>) {
          return app.add_flag(names, *value, meaning);
        } else {
          return app.add_option(names, *value, meaning)->allow_extra_args(false);
        }
      },
      target);
}

// The words with the first "--" left out, if there is one: CLI11 does not end options there before a program.
bool leave_mark_out(std::vector<std::string>& words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return false;
  words.erase(mark);
  return true;
}

}  // namespace

void Verb::add(const std::string& names, Target target, const std::string& meaning, const OptionRules& rules) {
  CLI::Option& option = add_to(*app_, names, target, meaning);
  if (!rules.group.empty()) option.group(rules.group);
  if (!rules.one_of.empty()) option.check(CLI::IsMember(rules.one_of));
  if (rules.required) option.required();
}

void Verb::takes_program() {
  app_->prefix_command();
  app_->description(app_->get_description() + "\nThe program and its arguments come behind all options.");
}

Verb Verb::add_verb(const std::string& name, const std::string& meaning) {
  app_->require_subcommand(0, 1);
  return {*arguments_, *app_->add_subcommand(name, meaning)};
}

void Verb::set_examples(const std::string& text) { app_->footer("\n" + text); }

void Verb::set_work(std::function<int()> work) {
  app_->callback([arguments = arguments_, work = std::move(work)] {
    if (!arguments->work_) arguments->work_ = work;  // a verb's verb comes before it
  });
}

std::vector<std::string> Verb::program() const {
  std::vector<std::string> words = app_->remaining();
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty() || !words.front().starts_with("-")) return words;
  std::vector<std::string> names;
  for (const auto& name : options()) names.push_back("--" + name);
  throw UsageError("there is no option " + words.front() + " (did you mean " + nearest(words.front(), names) +
                   "?); options come before the program");
}

std::vector<std::string> Verb::options() const { return long_names(*app_); }

bool Verb::is_given(const std::string& option) const { return app_->get_option("--" + option)->count() > 0; }

std::vector<std::string> Verb::values(const std::string& option) const {
  return app_->get_option("--" + option)->results();
}

void Verb::set(const std::string& option, const std::string& value, const std::string& where) const {
  try {
    CLI::Option* const target = app_->get_option("--" + option);
    target->add_result(value);
    target->run_callback();
  } catch (const CLI::ParseError& error) {
    throw UsageError(where + " has the value '" + value + "', which does not fit (" + error.what() + ")");
  }
}

Arguments::Arguments(const std::string& description, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, "slipway")) {
  app_->footer(footer);
  app_->require_subcommand(1);
}

Arguments::~Arguments() = default;

Verb Arguments::add_verb(const std::string& name, const std::string& meaning) {
  return {*this, *app_->add_subcommand(name, meaning)};
}

int Arguments::run(std::vector<std::string> words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& help) {
    return app_->exit(help);
  } catch (const CLI::ExtrasError&) {
    if (leave_mark_out(words)) return run(std::move(words));
    throw UsageError("unexpected words on the command line; see slipway --help");
  } catch (const CLI::ParseError& error) {
    std::vector<std::string> verbs;
    for (const auto& summary : summaries()) verbs.push_back(summary.verb);
    const bool unknown_verb = !words.empty() && !words.front().starts_with("-") && app_->get_subcommands().empty();
    if (unknown_verb) {
      throw UsageError("there is no verb '" + words.front() + "' (did you mean '" + nearest(words.front(), verbs) +
                       "'?); see slipway --help");
    }
    throw UsageError(std::string(error.what()) + "; see slipway --help");
  }
  return work_();
}

std::vector<Arguments::Summary> Arguments::summaries() const {
  std::vector<Summary> all;
  for (const CLI::App* const verb : std::as_const(*app_).get_subcommands(any_verb)) {
    all.push_back({verb->get_name(), long_names(*verb)});
  }
  return all;
}

}  // namespace slipway::tool
