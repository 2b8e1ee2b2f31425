// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// Texts, and the words in them.
namespace words {

using Counts = std::unordered_map<std::string, std::int64_t>;

// The regular files under the given files and directories, sorted; a file that is reached twice counts once.
inline std::vector<std::string> find_files(const std::vector<std::string>& roots) {
  namespace fs = std::filesystem;
  std::set<std::string> files;
  for (const std::string& root : roots) {
    if (!fs::exists(root)) throw std::runtime_error("there is no file or directory '" + root + "'");
    if (!fs::is_directory(root)) {
      files.insert(fs::canonical(root).string());
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) files.insert(fs::canonical(entry.path()).string());
    }
  }
  return {files.begin(), files.end()};
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Words are runs of ASCII letters, in lower case.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  std::string word;
  for (const char character : text) {
    if (std::isalpha(static_cast<unsigned char>(character)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    } else if (!word.empty()) {
      take(word);
      word.clear();
    }
  }
  if (!word.empty()) take(word);
}

// Which of `parts` reducers keeps a word. Not std::hash: all ranks must agree (FNV-1a).
inline std::size_t part_of(std::string_view word, std::size_t parts) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char character : word) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return hash % parts;
}

struct Summary {
  std::int64_t total = 0;                                 // words
  std::int64_t distinct = 0;                              // different words
  std::vector<std::pair<std::int64_t, std::string>> top;  // the ten most frequent, by count, then by the alphabet

  friend bool operator==(const Summary&, const Summary&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(total, distinct, top);
  }
};

inline void keep_top(Summary& summary) {
  constexpr std::size_t kept = 10;
  std::ranges::sort(summary.top, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (summary.top.size() > kept) summary.top.resize(kept);
}

inline Summary summarize(const Counts& counts) {
  Summary summary;
  for (const auto& [word, count] : counts) {
    summary.total += count;
    ++summary.distinct;
    summary.top.emplace_back(count, word);
  }
  keep_top(summary);
  return summary;
}

// Joins the summary of another, disjoint set of words.
inline void add(Summary& summary, const Summary& other) {
  summary.total += other.total;
  summary.distinct += other.distinct;
  summary.top.insert(summary.top.end(), other.top.begin(), other.top.end());
  keep_top(summary);
}

// The same by one loop: what the parallel count is checked against.
inline Summary count_serially(const std::vector<std::string>& files) {
  Counts counts;
  for (const std::string& file : files)
    for_each_word(read_text(file), [&](const std::string& word) { ++counts[word]; });
  return summarize(counts);
}

}  // namespace words
