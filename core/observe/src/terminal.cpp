// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "slipway/observe/report.hpp"

namespace slipway {

namespace {

constexpr seam::Time second = 1'000'000'000;
constexpr std::string_view erase_line = "\r\x1b[K";

std::string_view colour_of(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "\x1b[31m";
    case LogLevel::warning:
      return "\x1b[33m";
    default:
      return "";
  }
}

std::string clock_text(std::int64_t nanoseconds) {
  const auto seconds = static_cast<long long>(nanoseconds / second);
  char text[48];
  const int length =
      std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

std::string progress_text(const RunStatus& status, std::int64_t since_start, const RunProgress& before,
                          std::int64_t since_before) {
  const auto per_second = [since_before](double now, double then) {
    return since_before > 0 ? std::max(0.0, now - then) * 1e9 / static_cast<double>(since_before) : 0.0;
  };
  std::string text = status.program + " " + clock_text(since_start) + " " + std::string(to_string(status.state));
  if (status.progress.workers > 0) {
    text += ", " + std::to_string(status.progress.workers_done) + " of " + std::to_string(status.progress.workers) +
            " workers done";
  }
  const double calls = per_second(static_cast<double>(status.progress.calls), static_cast<double>(before.calls));
  text +=
      ", " + short_count(status.progress.calls) + " calls, " + short_count(static_cast<std::uint64_t>(calls)) + "/s";
  for (const auto& [unit, amount] : status.progress.work) {
    const auto then = before.work.find(unit);
    const double rate = per_second(amount, then == before.work.end() ? 0 : then->second);
    text += ", " + short_amount(amount) + " " + unit + ", " + short_amount(rate) + "/s";
  }
  if (!status.progress.text.empty()) text += ", " + status.progress.text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Terminal::Options Terminal::detect(bool quiet, std::int64_t progress_every) {
  Options options{.quiet = quiet, .progress_every = progress_every};
  const char* forwarded = std::getenv("SLIPWAY_TERMINAL");
  const unsigned long forwarded_columns = forwarded ? std::strtoul(forwarded, nullptr, 10) : 0;
  winsize window{};
  if (::isatty(2)) {
    options.is_terminal = true;
    if (::ioctl(2, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) options.columns = window.ws_col;
  } else if (forwarded_columns > 0) {
    options.is_terminal = true;
    options.columns = static_cast<std::uint32_t>(std::min(forwarded_columns, 1000ul));
  }
  const char* no_colour = std::getenv("NO_COLOR");
  options.colour = options.is_terminal && (!no_colour || !*no_colour);
  return options;
}

Terminal::~Terminal() { clear(); }

void Terminal::message(LogLevel level, std::string_view text) {
  if (options_.quiet && level < LogLevel::warning) return;
  const std::lock_guard lock(mutex_);
  std::string output = erase();
  output += "slipway: ";
  if (level >= LogLevel::warning) {
    output.append(options_.colour ? colour_of(level) : "").append(to_string(level));
    output.append(options_.colour ? "\x1b[0m" : "").append(": ");
  }
  output.append(text).append("\n").append(line_);
  write(output);
}

void Terminal::progress(const RunStatus& status) {
  if (options_.quiet) return;
  const std::lock_guard lock(mutex_);
  const seam::Time every =
      options_.progress_every > 0 ? options_.progress_every : (options_.is_terminal ? 2 * second : 30 * second);
  const seam::Time now = seam::now();
  if (now - last_shown_ < every) return;
  std::string text = progress_text(status, now - started_, last_, now - last_shown_);
  last_shown_ = now;
  last_ = status.progress;
  if (!options_.is_terminal) {
    write("slipway: " + text + "\n");
    return;
  }
  // A line that wraps could not be erased.
  if (text.size() >= options_.columns) text.resize(options_.columns - 1);
  const std::string output = erase() + text;
  line_ = std::move(text);
  write(output);
}

void Terminal::clear() {
  const std::lock_guard lock(mutex_);
  if (line_.empty()) return;
  write(erase_line);
  line_.clear();
}

std::string Terminal::erase() const { return std::string(line_.empty() ? "" : erase_line); }

void Terminal::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads any more; the log files have it
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace slipway
