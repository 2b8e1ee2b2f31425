// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <vector>

#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::tool {

std::string own_command_line() {
  const auto text = read_file("/proc/self/cmdline").value_or("");
  std::vector<std::string> words;
  for (const std::string_view word : split(text, '\0')) words.emplace_back(word);
  words.pop_back();  // behind the last word's end
  if (!words.empty()) words.front() = "slipway";
  return shell_line(words);
}

}  // namespace slipway::tool
