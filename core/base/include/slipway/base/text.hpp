// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// The parts between separators, empty ones too; at least one. They point into the text.
std::vector<std::string_view> split(std::string_view text, char separator);

// Without blanks, tabs and line ends around it.
std::string_view trimmed(std::string_view text);

// The one of the names (at least one) that is fewest letters away from a mistyped one: for "did you mean".
std::string nearest(std::string_view wrong, std::span<const std::string> names);

// One word as a POSIX shell reads it back unchanged: a b → 'a b'. Newlines and any bytes but 0 as well.
std::string shell_word(std::string_view word);
// "a 'b c'": as one would type it.
std::string shell_line(std::span<const std::string> words);

}  // namespace slipway
