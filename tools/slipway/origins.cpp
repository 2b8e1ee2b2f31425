// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "origins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::tool {

namespace {

std::string variable_of(const std::string& option) {
  std::string name = "SLIPWAY_JOB_";
  for (const char letter : option) {
    name.push_back(letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
  }
  return name;
}

std::filesystem::path configuration_file() {
  if (const char* const base = std::getenv("XDG_CONFIG_HOME"); base && *base) {
    return std::filesystem::path(base) / "slipway" / "config.json";
  }
  const char* const home = std::getenv("HOME");
  return home && *home ? std::filesystem::path(home) / ".config" / "slipway" / "config.json" : std::filesystem::path();
}

nlohmann::json read_configuration(const std::filesystem::path& file) {
  const auto text = file.empty() ? std::nullopt : read_file(file);
  if (!text) return nlohmann::json::object();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) {
    throw UsageError(file.string() + R"( is no JSON object; write for example {"account": "project1"})");
  }
  return json;
}

std::string text_of(const nlohmann::json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw UsageError(where + " must be a text, a number, true or false");
}

constexpr std::string_view no_setting = "show-origin";

// Options of any verb may stand in the file.
void refuse_unknown_names(const std::filesystem::path& file, const nlohmann::json& configuration,
                          const Arguments& arguments) {
  std::vector<std::string> names;
  for (const auto& summary : arguments.summaries()) {
    std::copy_if(summary.options.begin(), summary.options.end(), std::back_inserter(names),
                 [](const std::string& name) { return name != no_setting; });
  }
  for (const auto& [name, value] : configuration.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw UsageError(
        fmt::format("{}: there is no option '{}' (did you mean '{}'?)", file.string(), name, nearest(name, names)));
  }
}

}  // namespace

std::map<std::string, std::string> fill_in(const Verb& verb) {
  const auto file = configuration_file();
  const auto configuration = read_configuration(file);
  std::map<std::string, std::string> origins;
  for (const std::string& name : verb.options()) {
    if (name == no_setting) continue;
    const std::string variable = variable_of(name);
    if (verb.is_given(name)) {
      origins[name] = "flag";
    } else if (const char* const value = std::getenv(variable.c_str())) {
      verb.set(name, value, variable);
      origins[name] = "environment, " + variable;
    } else if (const auto entry = configuration.find(name); entry != configuration.end()) {
      const std::string where = file.string() + ": \"" + name + "\"";
      if (entry->is_array()) {
        for (const auto& element : *entry) verb.set(name, text_of(element, where), where);
      } else {
        verb.set(name, text_of(*entry, where), where);
      }
      origins[name] = file.string();
    } else {
      origins[name] = "default";
    }
  }
  refuse_unknown_names(file, configuration, verb.arguments());
  return origins;
}

std::string describe_origins(const Verb& verb, const std::map<std::string, std::string>& origins) {
  std::string text;
  for (const auto& [name, origin] : origins) {
    const std::string value = fmt::format("{}", fmt::join(verb.values(name), " "));
    text += fmt::format("{:<26} {:<24} {}\n", name, value, origin);
  }
  return text;
}

}  // namespace slipway::tool
