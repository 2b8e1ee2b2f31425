// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/rank_resources.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kibibyte = 1024;
constexpr std::uint64_t mebibyte = 1024 * kibibyte;

[[noreturn]] void refuse(std::string_view pair) {
  throw UsageError("--slipway-resources has '" + std::string(pair) +
                   "' (it must be a name and an amount above 0, each name once) write for example camera=1,licence=2");
}

// The number at the begin of the text, behind blanks; nothing for "max".
std::optional<std::uint64_t> leading_number(std::string_view text) {
  text = trimmed(text);
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest == text.data()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> memory_of_host(const fs::path& root) {
  const std::string text = read_file(root / "proc/meminfo").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    constexpr std::string_view name = "MemTotal:";
    if (!line.starts_with(name)) continue;
    if (const auto kibibytes = leading_number(line.substr(name.size()))) return *kibibytes * kibibyte;
  }
  return std::nullopt;
}

// Each group of the way up may have a limit; those of a container end at its own root.
void add_limits_of_groups(const fs::path& groups, fs::path group, const char* file,
                          std::vector<std::uint64_t>& limits) {
  for (group = group.relative_path();; group = group.parent_path()) {
    const auto text = read_file(groups / group / file);
    if (const auto limit = text ? leading_number(*text) : std::nullopt) limits.push_back(*limit);
    if (group.empty()) return;
  }
}

// "0::/user/job" is of version 2, "5:memory:/user/job" of version 1.
void add_limits_of_groups(const fs::path& root, std::vector<std::uint64_t>& limits) {
  const std::string text = read_file(root / "proc/self/cgroup").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const auto parts = split(line, ':');
    if (parts.size() != 3) continue;
    if (parts[1].empty()) add_limits_of_groups(root / "sys/fs/cgroup", fs::path(parts[2]), "memory.max", limits);
    if (parts[1] == "memory") {
      add_limits_of_groups(root / "sys/fs/cgroup/memory", fs::path(parts[2]), "memory.limit_in_bytes", limits);
    }
  }
}

}  // namespace

std::map<std::string, double> parse_named_resources(std::string_view text) {
  std::map<std::string, double> resources;
  if (trimmed(text).empty()) return resources;
  for (const std::string_view pair : split(text, ',')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string name(trimmed(pair.substr(0, equals)));
    const std::string_view digits = equals < pair.size() ? trimmed(pair.substr(equals + 1)) : std::string_view();
    double amount = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), amount);
    const bool whole = error == std::errc() && rest == digits.data() + digits.size();
    if (name.empty() || !whole || !std::isfinite(amount) || amount <= 0) refuse(pair);
    if (!resources.emplace(name, amount).second) refuse(pair);
  }
  return resources;
}

std::uint64_t usable_memory(const GetEnvironment& get, const fs::path& root) {
  std::vector<std::uint64_t> limits;
  if (const auto of_host = memory_of_host(root)) limits.push_back(*of_host);
  add_limits_of_groups(root, limits);
  const char* const of_job = get("SLURM_MEM_PER_NODE");
  if (const auto mebibytes = leading_number(of_job ? of_job : "")) limits.push_back(*mebibytes * mebibyte);
  std::erase(limits, 0u);  // for Slurm: all that the node has
  return limits.empty() ? 0 : *std::min_element(limits.begin(), limits.end());
}

}  // namespace slipway
