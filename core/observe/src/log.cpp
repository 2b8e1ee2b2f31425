// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/observe/wall_clock.hpp"

namespace slipway {

namespace {

constexpr std::array<std::string_view, 4> level_names = {"debug", "info", "warning", "error"};
constexpr std::string_view continuation = "  ";
constexpr char escape = '\x1b';

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The length of the terminal escape sequence that `text` starts with.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return std::min<std::size_t>(text.size(), 2);
  std::size_t length = 2;
  while (length < text.size() && (text[length] < '@' || text[length] > '~')) ++length;
  return std::min(length + 1, text.size());
}

void append_printable(std::string& line, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (text[at] == escape) {
      at += escape_length(text.substr(at)) - 1;
    } else if ((byte < 0x20 && text[at] != '\t') || byte == 0x7f) {
      line.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    } else {
      line.push_back(text[at]);
    }
  }
}

// A label is one word of a line, or the columns would move.
void append_word(std::string& line, std::string_view word) {
  if (word.empty()) word = Log::runtime_label;
  for (const char letter : word) line.push_back(static_cast<unsigned char>(letter) <= ' ' ? '_' : letter);
}

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string echo_text(std::string_view node, std::string_view text) {
  std::string words;
  if (node != Log::runtime_label) words.append(node).append(": ");
  return words.append(text);
}

}  // namespace

std::string_view to_string(LogLevel level) { return level_names[static_cast<std::size_t>(level)]; }

std::optional<LogLevel> parse_log_level(std::string_view text) {
  const auto found = std::find(level_names.begin(), level_names.end(), text);
  if (found == level_names.end()) return std::nullopt;
  return static_cast<LogLevel>(found - level_names.begin());
}

Log::Log(Options options) : options_(std::move(options)) {
  prefix_.push_back(' ');
  append_word(prefix_, options_.host);
  prefix_.append(" ").append(std::to_string(options_.rank)).append(" ");
}

Log::Log(const std::filesystem::path& file, Options options) : Log(std::move(options)) {
  file_ = file;
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw Error("cannot open the log file " + file.string() + " (" + std::strerror(errno) +
                ") choose a writable place with --slipway-run-base");
  }
}

Log::~Log() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Log::write(LogLevel level, std::string_view node, std::string_view text) {
  if (!takes(level)) return;
  text = without_line_end(text);
  if (options_.echo && level >= LogLevel::warning) options_.echo(level, echo_text(node, text));
  if (descriptor_ < 0) return;
  std::string head = format_time(wall_now()) + prefix_;
  append_word(head, node);
  head.append(" ").append(to_string(level)).append(" ");
  std::string record;
  record.reserve(head.size() + text.size() + 1);
  for (bool first = true; first || !text.empty(); first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    record.append(head);
    if (!first) record.append(continuation);
    append_printable(record, without_line_end(text.substr(0, end)));
    record.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!write_all(descriptor_, record)) lost_.fetch_add(1, std::memory_order_relaxed);
}

namespace {

std::string_view node_of(std::string_view line) {
  for (int words_before = 0; words_before < 3; ++words_before) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return {};
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find(' '));
}

}  // namespace

std::vector<std::string> node_lines(const std::filesystem::path& run_directory, std::string_view label) {
  std::string word;
  append_word(word, label);
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(run_directory / "logs", none)) {
    if (entry.path().extension() == ".log") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> lines;
  for (const auto& file : files) {
    std::ifstream input(file);
    for (std::string line; std::getline(input, line);) {
      if (node_of(line) == word) lines.push_back(line);
    }
  }
  constexpr std::size_t time_length = 27;
  std::stable_sort(lines.begin(), lines.end(), [](std::string_view left, std::string_view right) {
    return left.substr(0, time_length) < right.substr(0, time_length);
  });
  return lines;
}

}  // namespace slipway
