// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "figure.hpp"

#include <cstdlib>
#include <optional>
#include <vector>

#include "beside_tool.hpp"
#include "command.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;

namespace {

// The first that has matplotlib.
std::optional<std::string> find_python() {
  const char* const named = std::getenv("SLIPWAY_PYTHON");
  for (const std::string python : {named ? named : "", "python3", "/usr/bin/python3"}) {
    if (python.empty()) continue;
    const auto result = run_command({python, "-c", "import matplotlib"});
    if (result && result->status == 0) return python;
  }
  return std::nullopt;
}

}  // namespace

Figure draw_figure(const fs::path& report_json, const fs::path& stem) {
  const auto python = find_python();
  if (!python) {
    return {{},
            "no figure (there is no python3 with matplotlib). Install it (python3-matplotlib), or name one by "
            "SLIPWAY_PYTHON; tables and numbers are complete without"};
  }
  const fs::path script = beside_tool(SLIPWAY_PLOT_FROM_BIN, SLIPWAY_PLOT_IN_SOURCE);
  const auto result = run_command({*python, "-B", script.string(), report_json.string(), stem.string()});
  const auto svg = read_file(stem.string() + ".svg");
  if (!result || result->status != 0 || !svg) {
    return {{}, "no figure (" + script.string() + " failed): " + (result ? result->errors : "it did not start")};
  }
  return {*svg, {}};
}

}  // namespace slipway::tool
