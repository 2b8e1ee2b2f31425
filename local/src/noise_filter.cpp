// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "noise_filter.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace slipway::detail {

namespace {

// Open MPI puts its help texts between two rules of this very length.
const std::string rule(74, '-');

// First lines of paragraphs about how ranks ended.
constexpr std::array<std::string_view, 5> paragraph_marks = {
    "Primary job  terminated normally", "noticed that process rank", "detected that one or more processes exited",
    "MPI_ABORT was invoked on rank", "received a signal to terminate"};

bool is_noise_line(std::string_view line) {
  const bool of_pmix = line.starts_with("[") && line.find("] PMIX ERROR: ") != std::string_view::npos &&
                       line.find("pmix_event_notification.c") != std::string_view::npos;
  const bool of_forwarding = line.find(": Forwarding signal ") != std::string_view::npos &&
                             (line.starts_with("mpirun") || line.starts_with("mpiexec") || line.starts_with("prterun"));
  return of_pmix || of_forwarding;
}

bool starts_noise_paragraph(std::string_view line) {
  return std::any_of(paragraph_marks.begin(), paragraph_marks.end(),
                     [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
}

// Whether a line that begins so could still turn out to be noise, or a rule.
bool may_become_noise(std::string_view beginning) {
  constexpr std::array<std::string_view, 4> starts = {"[", "mpirun", "mpiexec", "prterun"};
  const auto agree = [&](std::string_view start) {
    const auto common = std::min(start.size(), beginning.size());
    return start.substr(0, common) == beginning.substr(0, common);
  };
  return std::any_of(starts.begin(), starts.end(), agree) || agree(rule);
}

}  // namespace

std::string NoiseFilter::take(std::string_view bytes) {
  std::string shown;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const bool complete = end != std::string_view::npos;
    const auto part = bytes.substr(0, complete ? end + 1 : bytes.size());
    bytes.remove_prefix(part.size());
    if (position_ == Position::inside_line) {
      shown += part;
      if (complete) position_ = Position::line_start;
      continue;
    }
    pending_ += part;
    if (complete) {
      take_line(std::exchange(pending_, {}), shown);
    } else if (position_ == Position::line_start && !may_become_noise(pending_)) {
      shown += std::exchange(pending_, {});
      position_ = Position::inside_line;
    }
  }
  return shown;
}

void NoiseFilter::take_line(std::string line, std::string& shown) {
  const bool is_rule = line == rule + "\n";
  switch (position_) {
    case Position::behind_rule:
      paragraph_ += line;
      if (starts_noise_paragraph(line)) {
        position_ = Position::inside_paragraph;
      } else {
        shown += std::exchange(paragraph_, {});
        position_ = Position::line_start;
      }
      return;
    case Position::inside_paragraph:
      paragraph_ += line;
      if (is_rule) {
        held_back_ += std::exchange(paragraph_, {});
        position_ = Position::line_start;
      }
      return;
    case Position::line_start:
    case Position::inside_line:
      break;
  }
  if (is_rule) {
    paragraph_ = std::move(line);
    position_ = Position::behind_rule;
  } else if (!is_noise_line(line)) {
    shown += line;
  }
}

std::string NoiseFilter::finish() {
  position_ = Position::line_start;
  return std::exchange(paragraph_, {}) + std::exchange(pending_, {});
}

}  // namespace slipway::detail
