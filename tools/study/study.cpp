// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::study {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, 2> scaling_names{"strong", "weak"};
constexpr std::array<std::string_view, 3> runner_names{"jobs", "steps", "local"};
constexpr const char* study_file = "study.json";
constexpr int schema = 1;

template <class Value, std::size_t n>
Value value_of(const std::string& name, const std::array<std::string_view, n>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw UsageError("it holds '" + name + "'");
  return static_cast<Value>(found - names.begin());
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Placeholder {
  std::string_view name;
  std::uint64_t factor = 1;
};

// What stands between braces: a name, or NAME*NUMBER; nothing for what is no placeholder.
std::optional<Placeholder> placeholder_of(std::string_view inside) {
  const auto parts = split(inside, '*');
  static constexpr std::array<std::string_view, 3> names{"nodes", "ranks", "repeat"};
  if (parts.size() > 2 || std::find(names.begin(), names.end(), parts[0]) == names.end()) return std::nullopt;
  if (parts.size() == 1) return Placeholder{parts[0]};
  const auto factor = whole_number(parts[1]);
  if (!factor) return std::nullopt;
  return Placeholder{parts[0], *factor};
}

// Calls `each(text)` for what stands as it is and `each(placeholder)` for the others, from left to right.
template <class Each>
void walk(std::string_view word, Each each) {
  std::size_t done = 0;
  for (std::size_t open = word.find('{'); open != std::string_view::npos; open = word.find('{', open + 1)) {
    const std::size_t close = word.find('}', open);
    if (close == std::string_view::npos) break;
    const auto placeholder = placeholder_of(word.substr(open + 1, close - open - 1));
    if (!placeholder) continue;
    each(word.substr(done, open - done));
    each(*placeholder);
    done = close + 1;
    open = close;
  }
  each(word.substr(done));
}

Study study_of(const Json& json) {
  if (json.at("schema") != schema)
    throw UsageError(fmt::format("its schema is {}, not {}", json.at("schema").dump(), schema));
  Study study;
  json.at("name").get_to(study.name);
  study.scaling = value_of<Scaling>(json.at("scaling"), scaling_names);
  study.runner = value_of<Runner>(json.at("runner"), runner_names);
  json.at("unit").get_to(study.unit);
  json.at("seed").get_to(study.seed);
  for (const auto& point : json.at("order")) study.order.push_back({point.at(0), point.at(1)});
  json.at("command").get_to(study.command);
  json.at("command_line").get_to(study.command_line);
  json.at("machine").get_to(study.machine);
  json.at("binding").get_to(study.binding);
  json.at("environment").get_to(study.environment);
  for (const auto& [size, ranks] : json.at("ranks").items()) {
    study.ranks[static_cast<std::uint32_t>(std::stoul(size))] = ranks;
  }
  json.at("one_at_a_time").get_to(study.one_at_a_time);
  json.at("modules").get_to(study.modules);
  json.at("made").get_to(study.made);
  if (study.order.empty()) throw UsageError("it has no points");
  return study;
}

}  // namespace

std::string_view to_string(Scaling scaling) { return scaling_names[static_cast<std::size_t>(scaling)]; }
std::string_view to_string(Runner runner) { return runner_names[static_cast<std::size_t>(runner)]; }

std::vector<Point> shuffled_points(const std::vector<std::uint32_t>& sizes, std::uint32_t repeats, std::uint64_t seed) {
  std::vector<Point> points;
  for (const std::uint32_t size : sizes) {
    for (std::uint32_t repeat = 1; repeat <= repeats; ++repeat) points.push_back({size, repeat});
  }
  std::mt19937_64 random(seed);  // std::shuffle may differ from library to library
  for (std::size_t left = points.size(); left > 1; --left) std::swap(points[left - 1], points[random() % left]);
  return points;
}

std::vector<std::uint32_t> sizes_of(const Study& study) {
  std::set<std::uint32_t> sizes;
  for (const Point& point : study.order) sizes.insert(point.size);
  return {sizes.begin(), sizes.end()};
}

std::uint32_t repeats_of(const Study& study) {
  std::uint32_t most = 0;
  for (const Point& point : study.order) most = std::max(most, point.repeat);
  return most;
}

std::vector<std::uint32_t> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<std::uint32_t> sizes;
  for (const std::string_view word : split(text, ',')) {
    const auto number = whole_number(trimmed(word));
    constexpr std::uint64_t most = 1'000'000;
    if (!number || *number == 0 || *number > most) {
      throw UsageError(fmt::format("{} {} has '{}' (sizes are whole numbers from 1 to {}). Write them as in {} 1,2,4,8",
                                   option, text, word, most, option));
    }
    const auto size = static_cast<std::uint32_t>(*number);
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      throw UsageError(fmt::format("{} {} has {} twice (--repeat says how often each runs)", option, text, size));
    }
    sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<std::string> filled(const std::vector<std::string>& command,
                                const std::map<std::string, std::uint64_t>& values) {
  struct Filling {
    const std::map<std::string, std::uint64_t>& values;
    std::string result;
    void operator()(std::string_view text) { result += text; }
    void operator()(const Placeholder& placeholder) {
      const auto value = values.find(std::string(placeholder.name));
      if (value == values.end()) {
        throw UsageError(
            fmt::format("{{{0}}} in the program's arguments has no value (a study counts it only with "
                        "--ranks, or with --ranks-per-node beside --nodes). Add that option",
                        placeholder.name));
      }
      result += std::to_string(value->second * placeholder.factor);
    }
  };
  std::vector<std::string> words;
  for (const auto& word : command) {
    Filling filling{values, {}};
    walk(word, [&filling](const auto& part) { filling(part); });
    words.push_back(std::move(filling.result));
  }
  return words;
}

bool uses(const std::vector<std::string>& command, std::string_view placeholder) {
  struct Looking {
    std::string_view name;
    bool found = false;
    void operator()(std::string_view) {}
    void operator()(const Placeholder& placeholder) { found = found || placeholder.name == name; }
  };
  Looking looking{placeholder};
  for (const auto& word : command) walk(word, [&looking](const auto& part) { looking(part); });
  return looking.found;
}

std::string amount_text(std::uint32_t size, const std::string& unit) {
  return fmt::format("{} {}", size, size == 1 ? unit.substr(0, unit.size() - 1) : unit);
}

std::string point_text(Point point, const std::string& unit) {
  return fmt::format("{}, run {}", amount_text(point.size, unit), point.repeat);
}

std::string to_json(const Study& study) {
  Json order = Json::array();
  for (const Point& point : study.order) order.push_back(Json::array({point.size, point.repeat}));
  Json ranks = Json::object();
  for (const auto& [size, of_size] : study.ranks) ranks[std::to_string(size)] = of_size;
  const Json json{{"schema", schema},
                  {"name", study.name},
                  {"scaling", to_string(study.scaling)},
                  {"runner", to_string(study.runner)},
                  {"unit", study.unit},
                  {"seed", study.seed},
                  {"order", std::move(order)},
                  {"command", study.command},
                  {"command_line", study.command_line},
                  {"machine", study.machine},
                  {"binding", study.binding},
                  {"environment", study.environment},
                  {"ranks", ranks},
                  {"one_at_a_time", study.one_at_a_time},
                  {"modules", study.modules},
                  {"made", study.made}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_study(const fs::path& directory, const Study& study) {
  write_file_atomically(directory / study_file, to_json(study));
}

std::optional<Study> read_study(const fs::path& directory) {
  const auto text = read_file(directory / study_file);
  if (!text) return std::nullopt;
  try {
    return study_of(Json::parse(*text));
  } catch (const std::exception& error) {
    throw UsageError((directory / study_file).string() + " is damaged (" + error.what() + "); make the study anew");
  }
}

fs::path directory_of(const fs::path& study_directory, const Study& study, Point point) {
  return study_directory / "points" / fmt::format("{}-{}-run-{}", study.unit, point.size, point.repeat);
}

}  // namespace slipway::study
