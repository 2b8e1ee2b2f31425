// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study/page.hpp"

#include <string_view>

namespace slipway::study {

namespace {

constexpr std::string_view head = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b;
         background: #fff; }
  h1 { font-size: 1.5rem; line-height: 1.25; }
  h2 { font-size: 1.15rem; margin-top: 2rem; }
  figure { margin: 1rem 0; }
  figure svg { max-width: 100%; height: auto; }
  figcaption, caption { color: #555; text-align: left; padding-bottom: .4rem; }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-top: 1.5rem; }
  th, td { padding: .25rem .75rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
  th:first-child, td:first-child { text-align: left; }
</style>
)html";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

std::string element(std::string_view name, std::string_view text) {
  return "<" + std::string(name) + ">" + escaped(text) + "</" + std::string(name) + ">";
}

// Inside a page an SVG has neither an XML declaration nor a document type.
std::string_view svg_element(std::string_view file) {
  const std::size_t begin = file.find("<svg");
  return begin == std::string_view::npos ? std::string_view() : file.substr(begin);
}

std::string html_of(const PageTable& table) {
  std::string text = "<div class=\"wide\"><table>\n" + element("caption", table.caption) + "\n<thead><tr>";
  for (const auto& head : table.heads) text += element("th", head);
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& line : table.lines) {
    text += "<tr>";
    for (const auto& cell : line) text += element("td", cell);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string html_of_list(const std::vector<std::string>& items) {
  std::string text = "<ul>\n";
  for (const auto& item : items) text += element("li", item) + "\n";
  return text + "</ul>\n";
}

}  // namespace

std::string to_html(const Page& page) {
  std::string text(head);
  text += element("title", page.title) + "\n</head>\n<body>\n" + element("h1", page.title) + "\n";
  for (const auto& paragraph : page.paragraphs) text += element("p", paragraph) + "\n";
  if (!page.figure_svg.empty()) {
    text += "<figure>\n" + std::string(svg_element(page.figure_svg)) + element("figcaption", page.figure_caption) +
            "\n</figure>\n";
  }
  for (const auto& table : page.tables) text += html_of(table);
  if (!page.remarks.empty()) text += element("h2", "Notes") + "\n" + html_of_list(page.remarks);
  if (!page.method.empty()) text += element("h2", "Method") + "\n" + element("p", page.method) + "\n";
  return text + "</body>\n</html>\n";
}

}  // namespace slipway::study
