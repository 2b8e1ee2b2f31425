// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// A report as one HTML file that needs no other: it can be mailed, and opened without a network.
namespace slipway::study {

struct PageTable {
  std::string caption{};
  std::vector<std::string> heads{};
  std::vector<std::vector<std::string>> lines{};
};

struct Page {
  std::string title{};
  std::vector<std::string> paragraphs{};
  std::string figure_svg{};  // a whole SVG file; empty: no figure
  std::string figure_caption{};
  std::vector<PageTable> tables{};
  std::vector<std::string> remarks{};
  std::string method{};
};

std::string to_html(const Page& page);

}  // namespace slipway::study
