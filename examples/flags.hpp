// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// The examples' own flags, `--name value`, read after slipway has taken its own out of argv.
namespace examples {

class Flags {
 public:
  Flags(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.substr(0, 2) != "--") {
        words_.push_back(word);
      } else if (i + 1 < argc) {
        values_[word] = argv[++i];
      } else {
        throw std::runtime_error("the flag " + word + " has no value. Give one: " + word + " VALUE");
      }
    }
  }

  // The value of a flag, or what it is without one.
  template <class T>
  T get(const std::string& name, T otherwise) {
    known_.insert(name);
    const auto found = values_.find(name);
    if (found == values_.end()) return otherwise;
    std::istringstream text(found->second);
    T value{};
    if (!(text >> value) || text.peek() != std::char_traits<char>::eof()) {
      throw std::runtime_error("the flag " + name + " cannot have the value '" + found->second + "'");
    }
    return value;
  }

  const std::vector<std::string>& words() const { return words_; }  // what is no flag

  // To be called when all flags were asked for: one that was not is a mistake.
  void check() const {
    for (const auto& [name, value] : values_) {
      if (known_.contains(name)) continue;
      std::string text = "there is no flag " + name + ". Flags:";
      for (const std::string& flag : known_) text += " " + flag;
      throw std::runtime_error(text);
    }
  }

 private:
  std::map<std::string, std::string> values_;
  std::set<std::string> known_;
  std::vector<std::string> words_;
};

}  // namespace examples
