// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "options_table.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"

namespace slipway {

namespace {

constexpr std::string_view flag_prefix = "--slipway-";
constexpr std::string_view variable_prefix = "SLIPWAY_";
constexpr std::string_view help_flag = "help";
constexpr std::string_view version_flag = "version";

std::string nearest_name(std::string_view wrong) {
  std::vector<std::string> names{std::string(help_flag), std::string(version_flag)};
  for (const auto& knob : detail::knobs()) names.emplace_back(knob.name);
  return nearest(wrong, names);
}

std::optional<std::size_t> find_knob(std::string_view name) {
  const auto knobs = detail::knobs();
  const auto found = std::find_if(knobs.begin(), knobs.end(), [&](const auto& knob) { return knob.name == name; });
  if (found == knobs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - knobs.begin());
}

std::size_t known_knob(std::string_view name) {
  const auto knob = find_knob(name);
  if (!knob) throw Error("there is no option '" + std::string(name) + "' (names are as in --slipway-help) correct it");
  return *knob;
}

std::string flag_of(std::string_view name) { return std::string(flag_prefix).append(name); }

std::string knob_name_of_variable(std::string_view variable) {
  std::string name;
  for (const char letter : variable.substr(variable_prefix.size())) {
    name.push_back(letter == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  }
  return name;
}

Options::Environment current_environment() {
  Options::Environment variables;
  for (char** variable = environ; variable && *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::environment:
      return "environment";
    case Origin::flag:
      return "flag";
    case Origin::built_in:
      break;
  }
  return "default";
}

Options::Options() : origins_(detail::knobs().size(), Origin::built_in) {}

Options::Options(int& argc, char** argv) : Options(argc, argv, current_environment()) {}

Options::Options(int& argc, char** argv, const Environment& environment) : Options() {
  command_line_.assign(argv, argv + argc);
  read_environment(environment);
  read_arguments(argc, argv);
}

void Options::read_environment(const Environment& environment) {
  for (const std::string_view entry : environment) {
    if (!entry.starts_with(variable_prefix)) continue;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const auto variable = entry.substr(0, equals);
    if (detail::is_internal_variable(variable)) continue;
    const auto name = knob_name_of_variable(variable);
    const auto knob = find_knob(name);
    if (!knob || detail::environment_name(name) != variable) {
      throw UsageError("unknown environment variable " + std::string(variable) +
                       " (names with SLIPWAY_ are options of the runtime) did you mean " +
                       detail::environment_name(nearest_name(name)) + "? see --slipway-help");
    }
    detail::parse_into(settings_, detail::knobs()[*knob], entry.substr(equals + 1), variable);
    origins_[*knob] = Origin::environment;
  }
}

void Options::read_arguments(int& argc, char** argv) {
  int kept = 0;
  int at = 0;
  while (at < argc && (at == 0 || std::string_view(argv[at]) != "--")) {
    if (at > 0 && std::string_view(argv[at]).starts_with(flag_prefix)) {
      at += read_flag(at, argc, argv);
    } else {
      argv[kept++] = argv[at++];
    }
  }
  while (at < argc) argv[kept++] = argv[at++];
  if (kept < argc) argv[kept] = nullptr;
  argc = kept;
}

// Returns how many words of argv the flag took.
int Options::read_flag(int at, int argc, char** argv) {
  const auto words = std::string_view(argv[at]).substr(flag_prefix.size());
  const auto equals = words.find('=');
  const auto name = words.substr(0, equals);
  if (words == help_flag || words == version_flag) {
    (words == help_flag ? help_requested_ : version_requested_) = true;
    return 1;
  }
  const auto knob = find_knob(name);
  if (!knob) {
    throw UsageError("unknown option " + flag_of(name) +
                     " (flags with --slipway- belong to the runtime) did you mean " + flag_of(nearest_name(name)) +
                     "? see --slipway-help");
  }
  if (equals != std::string_view::npos) {
    set(*knob, words.substr(equals + 1), Origin::flag);
    return 1;
  }
  if (const auto bare = detail::value_when_bare(detail::knobs()[*knob]); !bare.empty()) {
    set(*knob, bare, Origin::flag);
    return 1;
  }
  if (at + 1 >= argc || std::string_view(argv[at + 1]).starts_with(flag_prefix)) {
    throw UsageError("option " + flag_of(name) + " has no value (it needs one) write " + flag_of(name) + "=VALUE");
  }
  set(*knob, argv[at + 1], Origin::flag);
  return 2;
}

void Options::set(std::size_t knob, std::string_view value, Origin origin) {
  const auto& entry = detail::knobs()[knob];
  detail::parse_into(settings_, entry, value, flag_of(entry.name));
  origins_[knob] = origin;
}

void Options::set_default(std::string_view name, std::string_view value) {
  const auto knob = known_knob(name);
  if (origins_[knob] == Origin::built_in) set(knob, value, Origin::built_in);
}

Origin Options::origin(std::string_view name) const { return origins_[known_knob(name)]; }

std::string Options::to_text() const {
  std::ostringstream text;
  const auto knobs = detail::knobs();
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    text << std::left << std::setw(16) << knobs[i].name << ' ' << std::setw(16)
         << detail::print_value(settings_, knobs[i]) << ' ' << to_string(origins_[i]) << '\n';
  }
  return text.str();
}

std::string Options::to_json() const {
  auto object = nlohmann::ordered_json::object();
  const auto knobs = detail::knobs();
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    object[std::string(knobs[i].name)] = {{"value", detail::print_value(settings_, knobs[i])},
                                          {"origin", to_string(origins_[i])}};
  }
  return object.dump(2) + "\n";
}

std::string Options::help() {
  const Settings defaults;
  std::ostringstream text;
  text
      << "Options of the slipway runtime. Each has a twin in the environment: --slipway-stall-after=5s is\n"
         "SLIPWAY_STALL_AFTER=5s; a flag beats the environment. Flags without the prefix, and all after --, belong to\n"
         "the program.\n\n";
  const auto line = [&](std::string_view name, std::string_view unit, std::string_view meaning,
                        std::string_view value) {
    text << "  " << std::left << std::setw(28) << flag_of(name) << ' ' << std::setw(16) << unit << ' ' << meaning;
    if (!value.empty()) text << " [" << value << "]";
    text << '\n';
  };
  for (const auto& knob : detail::knobs()) {
    line(knob.name, knob.unit, knob.text, detail::print_value(defaults, knob));
  }
  line(help_flag, "", "print this, and exit", "");
  line(version_flag, "", "print the versions of slipway and its libraries, and exit", "");
  return text.str();
}

}  // namespace slipway
