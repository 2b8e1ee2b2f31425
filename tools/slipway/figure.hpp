// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace slipway::tool {

struct Figure {
  std::string svg{};      // the file's content; empty: there is none
  std::string why_not{};  // problem and remedy
};

// Draws what report.json tells as STEM.svg and STEM.png, by a Python that has matplotlib: $SLIPWAY_PYTHON, python3 or
// /usr/bin/python3.
Figure draw_figure(const std::filesystem::path& report_json, const std::filesystem::path& stem);

}  // namespace slipway::tool
