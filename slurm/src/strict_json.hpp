// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slipway::slurm {

// Reads an object that people write: every field must be known and have the right type. Throws UsageError with the
// place.
class StrictObject {
 public:
  // `place`: "perlmutter.json" or "perlmutter.json: node_types[1]".
  StrictObject(const nlohmann::json& object, std::string place);

  // An absent field leaves the target as it is.
  template <class Value>
  void read(const char* name, Value& target) {
    const nlohmann::json* const value = take(name);
    if (value) convert(*value, name, target);
  }
  // By its name in the list. Whether it is there.
  template <class Enum, std::size_t Count>
  bool read(const char* name, Enum& target, const std::pair<std::string_view, Enum> (&choices)[Count]) {
    std::string text;
    const nlohmann::json* const value = take(name);
    if (!value) return false;
    convert(*value, name, text);
    std::string names;
    for (const auto& [choice, meaning] : choices) {
      if (choice == text) {
        target = meaning;
        return true;
      }
      names.append(names.empty() ? "" : ", ").append(choice);
    }
    refuse(name, "it must be one of " + names);
  }
  // Calls `each(object)` for the elements of an array of objects.
  template <class Each>
  void read_objects(const char* name, Each&& each) {
    const nlohmann::json* const value = take(name);
    if (!value) return;
    if (!value->is_array()) refuse(name, "it must be an array of objects");
    for (std::size_t i = 0; i < value->size(); ++i) {
      StrictObject object((*value)[i], place_ + ": " + name + "[" + std::to_string(i) + "]");
      each(object);
      object.refuse_unknown();
    }
  }
  // To be called when all fields have been read.
  void refuse_unknown() const;
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;

 private:
  const nlohmann::json* take(const char* name);
  void convert(const nlohmann::json& value, const char* name, std::string& target) const;
  void convert(const nlohmann::json& value, const char* name, bool& target) const;
  void convert(const nlohmann::json& value, const char* name, std::uint32_t& target) const;
  void convert(const nlohmann::json& value, const char* name, std::vector<std::string>& target) const;
  void convert(const nlohmann::json& value, const char* name, std::map<std::string, std::string>& target) const;

  const nlohmann::json& object_;
  std::string place_;
  std::vector<std::string> known_;
};

}  // namespace slipway::slurm
