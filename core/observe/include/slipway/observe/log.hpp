// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// One log file a rank. A line is `time host rank node level text`; lines of the runtime itself have node "-".
namespace slipway {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

std::string_view to_string(LogLevel level);
std::optional<LogLevel> parse_log_level(std::string_view text);

// Thread-safe, without a lock: every record is one write(2) to a file opened for appending, so that records are never
// mixed, and what was logged before a crash is in the file. A text of several lines becomes as many lines, each with
// the whole prefix, the later ones indented. Terminal escapes are dropped. Never throws after construction.
class Log {
 public:
  struct Options {
    std::string host{};
    std::uint32_t rank = 0;
    LogLevel level = LogLevel::info;  // what is below is dropped
    // Gets each warning and error as one short text, to be shown on the terminal; may be called from any thread.
    std::function<void(LogLevel, std::string_view)> echo{};
  };

  // Writes nowhere, only echoes.
  explicit Log(Options options);
  // Appends to the file, made if it is not there. Throws Error when it cannot be opened.
  Log(const std::filesystem::path& file, Options options);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();

  bool takes(LogLevel level) const { return level >= options_.level; }
  void write(LogLevel level, std::string_view node, std::string_view text);

  // The lines of the runtime itself.
  void debug(std::string_view text) { write(LogLevel::debug, runtime_label, text); }
  void info(std::string_view text) { write(LogLevel::info, runtime_label, text); }
  void warning(std::string_view text) { write(LogLevel::warning, runtime_label, text); }
  void error(std::string_view text) { write(LogLevel::error, runtime_label, text); }

  static constexpr std::string_view runtime_label = "-";

  int descriptor() const { return descriptor_; }  // -1: no file. For last words, which may only use write(2).
  const std::filesystem::path& file() const { return file_; }
  std::uint64_t records_lost() const { return lost_.load(std::memory_order_relaxed); }  // by a full disk, say

 private:
  Options options_;
  std::string prefix_;  // " host rank "
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::atomic<std::uint64_t> lost_{0};
};

// All lines of a node in the logs of a run, in order of time. Empty when it logged nothing.
std::vector<std::string> node_lines(const std::filesystem::path& run_directory, std::string_view label);

}  // namespace slipway
