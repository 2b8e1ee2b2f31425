// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/state/saved_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"
#include "slipway/base/hash.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kept_states = 2;
constexpr const char* manifest_name = "manifest.json";

fs::path directory_of(const fs::path& run, std::uint32_t number) { return run / "state" / std::to_string(number); }

// Labels have slashes; '%' is no letter of a label.
std::string file_of(std::string_view node) {
  std::string name;
  for (const char letter : node) name += letter == '/' ? std::string("%2F") : std::string(1, letter);
  return name + ".state";
}

// Newest first.
std::vector<std::uint32_t> numbers_in(const fs::path& run) {
  std::vector<std::uint32_t> numbers;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(run / "state", absent)) {
    const std::string name = entry.path().filename();
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

struct Manifest {
  std::vector<SavedPart> parts{};
  std::string defect{};  // why it cannot be used; empty: it can
};

Manifest read_manifest(const fs::path& directory) {
  const Manifest unreadable{.defect = "its manifest is missing or damaged"};
  const auto text = read_file(directory / manifest_name);
  if (!text) return unreadable;
  try {
    const auto json = nlohmann::json::parse(*text);
    if (json.at("schema") != SavedState::schema) {
      return {.defect = fmt::format("its manifest has schema {}, and this slipway knows {} alone",
                                    json.at("schema").dump(), SavedState::schema)};
    }
    Manifest manifest;
    for (const auto& part : json.at("parts")) {
      manifest.parts.push_back({part.at("node"), part.at("bytes"), part.at("digest")});
    }
    return manifest;
  } catch (const nlohmann::json::exception&) {
    return unreadable;
  }
}

// Why the state cannot be used; empty: it can.
std::string defect_of(const fs::path& directory) {
  const Manifest manifest = read_manifest(directory);
  if (!manifest.defect.empty()) return manifest.defect;
  for (const auto& part : manifest.parts) {
    std::error_code error;
    const auto size = fs::file_size(directory / file_of(part.node), error);
    if (error || size != part.bytes) return "the part of node '" + part.node + "' is missing or cut short";
  }
  return {};
}

}  // namespace

SavedState::SavedState(const fs::path& run_directory, std::uint32_t number)
    : directory_(number == 0 ? fs::path() : directory_of(run_directory, number)) {}

SavedState SavedState::open(const fs::path& run_directory, std::uint32_t number) {
  SavedState state(run_directory, number);
  if (!state) return state;
  const Manifest manifest = read_manifest(state.directory_);
  if (!manifest.defect.empty()) {
    throw Error("the saved state " + state.directory_.string() + " cannot be used: " + manifest.defect);
  }
  for (const auto& part : manifest.parts) state.parts_.emplace(part.node, part);
  return state;
}

std::uint32_t SavedState::next_number(const fs::path& run_directory) {
  const auto numbers = numbers_in(run_directory);
  return numbers.empty() ? 1 : numbers.front() + 1;
}

std::uint32_t SavedState::newest_complete(const fs::path& run_directory,
                                          const std::function<void(const std::string&)>& notice) {
  for (const std::uint32_t number : numbers_in(run_directory)) {
    const fs::path directory = directory_of(run_directory, number);
    const std::string defect = defect_of(directory);
    if (defect.empty()) return number;
    notice("the saved state " + directory.string() + " is left aside: " + defect);
  }
  return 0;
}

SavedPart SavedState::write(std::string_view node, std::string_view bytes) const {
  fs::create_directories(directory_);
  write_file_atomically(directory_ / file_of(node), bytes);
  return {std::string(node), bytes.size(), fnv1a(bytes)};
}

void SavedState::complete(const std::vector<SavedPart>& parts) const {
  fs::create_directories(directory_);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& part : parts) {
    list.push_back({{"node", part.node}, {"bytes", part.bytes}, {"digest", part.digest}});
  }
  const nlohmann::ordered_json manifest{{"schema", schema}, {"parts", std::move(list)}};
  write_file_atomically(directory_ / manifest_name, manifest.dump(2) + "\n");
  const fs::path run = directory_.parent_path().parent_path();
  std::uint32_t complete = 0;
  for (const std::uint32_t number : numbers_in(run)) {
    const fs::path directory = directory_of(run, number);
    if (complete >= kept_states) {
      std::error_code ignored;
      fs::remove_all(directory, ignored);
    } else if (defect_of(directory).empty()) {
      ++complete;
    }
  }
}

std::optional<std::string> SavedState::read(std::string_view node) const {
  const auto part = parts_.find(node);
  if (part == parts_.end()) return std::nullopt;
  auto bytes = read_file(directory_ / file_of(node));
  if (!bytes || bytes->size() != part->second.bytes || fnv1a(*bytes) != part->second.digest) {
    throw Error("what node '" + std::string(node) + "' saved is damaged (" + (directory_ / file_of(node)).string() +
                "); take the directory away to go on from the state before");
  }
  return bytes;
}

std::vector<std::string> SavedState::nodes() const {
  std::vector<std::string> labels;
  for (const auto& [label, part] : parts_) labels.push_back(label);
  return labels;
}

}  // namespace slipway
