// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace slipway::detail {

// Lets the ranks' stderr through, and holds back what mpirun says of the end of a run in its own words, since slipway
// says it too, and better. Everything else passes at once, unfinished lines included.
class NoiseFilter {
 public:
  // Returns what may be shown now.
  std::string take(std::string_view bytes);
  // At the end of the stream: what was under examination, and was no known noise.
  std::string finish();
  // The paragraphs held back, for when slipway has nothing better to say.
  const std::string& held_back() const { return held_back_; }

 private:
  enum class Position { line_start, inside_line, behind_rule, inside_paragraph };

  void take_line(std::string line, std::string& shown);

  Position position_ = Position::line_start;
  std::string pending_;    // the beginning of a line that may become noise
  std::string paragraph_;  // a rule of dashes, and what follows it
  std::string held_back_;
};

}  // namespace slipway::detail
