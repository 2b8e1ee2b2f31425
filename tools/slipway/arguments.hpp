// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

// The command line as the verbs see it. CLI11 reads it, and only arguments.cpp includes that: its headers cost the
// compiler more than a verb does.
namespace slipway::tool {

class Arguments;

// Where an option puts its value; what stands there is its default. A bool is a flag, a vector an option that may be
// repeated. It must live as long as the command line.
using Target = std::variant<bool*, int*, std::uint32_t*, double*, std::string*, std::optional<std::uint32_t>*,
                            std::optional<std::uint64_t>*, std::vector<std::string>*>;

struct OptionRules {
  std::string group;                // heading in the help
  std::vector<std::string> one_of;  // empty: any value
  bool required = false;
};

// One verb of the command. A reference to it, cheap to copy.
class Verb {
 public:
  Verb(Arguments& arguments, CLI::App& app) : arguments_(&arguments), app_(&app) {}

  // "-n,--name"; or "NAME", for what stands in this place.
  void add(const std::string& names, Target target, const std::string& meaning, const OptionRules& rules = {});
  // A program and its arguments come behind all options.
  void takes_program();
  Verb add_verb(const std::string& name, const std::string& meaning);
  void set_examples(const std::string& text);
  // Does the verb's work, once all is parsed, and returns the exit status.
  void set_work(std::function<int()> work);

  // What follows, after parsing. Options are named without dashes.

  // The program and its arguments. Throws UsageError for a word that looks like an option.
  std::vector<std::string> program() const;
  // All options with a long name but help.
  std::vector<std::string> options() const;
  bool is_given(const std::string& option) const;
  std::vector<std::string> values(const std::string& option) const;
  // As if it were given. Throws UsageError for a value that does not fit, which came from `where`.
  void set(const std::string& option, const std::string& value, const std::string& where) const;
  const Arguments& arguments() const { return *arguments_; }

 private:
  Arguments* arguments_;
  CLI::App* app_;
};

class Arguments {
 public:
  Arguments(const std::string& description, const std::string& footer);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  Verb add_verb(const std::string& name, const std::string& meaning);
  // Parses, and does the work of the verb that was named. Throws UsageError.
  int run(std::vector<std::string> words);

  struct Summary {
    std::string verb;
    std::vector<std::string> options;  // without dashes
  };
  std::vector<Summary> summaries() const;

 private:
  friend class Verb;
  const std::unique_ptr<CLI::App> app_;
  std::function<int()> work_;
};

}  // namespace slipway::tool
