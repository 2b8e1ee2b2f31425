// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/earlier_attempt.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "slipway/base/error.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/runtime/versions.hpp"
#include "slipway/state/saved_state.hpp"

namespace slipway {

namespace {

void refuse_other_program(const RunDirectory& directory, const std::string& program) {
  const auto before = read_status(directory.path());
  if (!before || before->program == program) return;
  throw UsageError("the run directory " + directory.path().string() + " is of another program ('" + before->program +
                   "', not '" + program + "'); name the right one, or start a new run");
}

// Nothing where there is no such file: the attempt before ended early, and has saved nothing.
std::optional<nlohmann::json> read_json(const RunDirectory& directory, const std::string& name) {
  const auto text = directory.read(name);
  if (!text) return std::nullopt;
  auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) {
    throw UsageError(fmt::format("{} cannot be read (it tells whether this program can go on there) start a new run",
                                 (directory.path() / name).string()));
  }
  return json;
}

// "0.3" of "0.3.1": what is behind only mends.
std::string major_and_minor(const std::string& version) {
  const auto first = version.find('.');
  return first == std::string::npos ? version : version.substr(0, version.find('.', first + 1));
}

// Those that say how saved states and messages look.
bool fits(const VersionOf& own, const std::string& before) {
  if (own.what == "slipway") return major_and_minor(own.version) == major_and_minor(before);
  const bool is_format = own.what == "wire format" || own.what == "state format";
  return !is_format || own.version == before;
}

void refuse_other_version(const RunDirectory& directory) {
  const auto versions = read_json(directory, "versions.json");
  if (!versions) return;
  for (const auto& own : core_versions()) {
    const std::string before = versions->value(own.what, own.version);
    if (fits(own, before)) continue;
    throw UsageError(fmt::format(
        "the run directory {} is of another slipway ({} {}, and this program has {}, which may not read what that one "
        "saved) run the program as it was built then, or start a new run",
        directory.path().string(), own.what == "slipway" ? "version" : own.what, before, own.version));
  }
}

std::map<std::string, std::string> types_of_nodes(const RunDirectory& directory) {
  std::map<std::string, std::string> types;
  const auto graph = read_json(directory, "graph.json");
  if (!graph) return types;
  for (const auto& node : graph->value("nodes", nlohmann::json::array())) {
    types.emplace(node.value("label", ""), node.value("type", ""));
  }
  return types;
}

void refuse_strange_parts(const RunDirectory& directory, const Graph& graph) {
  const auto number = SavedState::newest_complete(directory.path(), [](const std::string&) {});
  if (number == 0) return;
  const auto state = SavedState::open(directory.path(), number);
  const auto types = types_of_nodes(directory);
  for (const auto& label : state.nodes()) {
    const NodeId node = graph.find_node(label);
    if (!node) {
      throw UsageError(fmt::format(
          "the saved state {} has a part of node '{}' (the program has no such node now, and the part would be lost) "
          "run it with the same nodes, start a new run, or take that directory away to go on from the state before",
          state.directory().string(), label));
    }
    const std::string& type = graph.node(node).type;
    const auto before = types.find(label);
    if (before == types.end() || before->second == type) continue;
    throw UsageError(fmt::format(
        "the saved state {} has a part of node '{}' as a {} (it is a {} now, which may read it wrongly) start a new "
        "run, or, where that type reads what the other wrote, take graph.json away from the run directory",
        state.directory().string(), label, before->second, type));
  }
}

}  // namespace

void require_same_run(const RunDirectory& directory, const Graph& graph) {
  refuse_other_program(directory, graph.name());
  refuse_other_version(directory);
  refuse_strange_parts(directory, graph);
}

}  // namespace slipway
