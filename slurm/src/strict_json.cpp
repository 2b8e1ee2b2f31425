// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "strict_json.hpp"

#include <algorithm>
#include <limits>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"

namespace slipway::slurm {

StrictObject::StrictObject(const nlohmann::json& object, std::string place)
    : object_(object), place_(std::move(place)) {
  if (!object_.is_object()) throw UsageError(place_ + " is no JSON object; see docs/machines.md");
}

const nlohmann::json* StrictObject::take(const char* name) {
  known_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void StrictObject::refuse(std::string_view name, const std::string& why) const {
  throw UsageError(place_ + ": the field '" + std::string(name) + "' is wrong (" + why + "); see docs/machines.md");
}

void StrictObject::refuse_unknown() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    throw UsageError(place_ + ": there is no field '" + name + "' (did you mean '" + nearest(name, known_) +
                     "'?); see docs/machines.md");
  }
}

void StrictObject::convert(const nlohmann::json& value, const char* name, std::string& target) const {
  if (!value.is_string()) refuse(name, "it must be a text in quotes");
  target = value.get<std::string>();
}

void StrictObject::convert(const nlohmann::json& value, const char* name, bool& target) const {
  if (!value.is_boolean()) refuse(name, "it must be true or false");
  target = value.get<bool>();
}

void StrictObject::convert(const nlohmann::json& value, const char* name, std::uint32_t& target) const {
  const bool whole = value.is_number_unsigned();
  if (!whole || value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
    refuse(name, "it must be a whole number, 0 or more");
  }
  target = value.get<std::uint32_t>();
}

void StrictObject::convert(const nlohmann::json& value, const char* name, std::vector<std::string>& target) const {
  if (!value.is_array()) refuse(name, "it must be an array of texts");
  target.clear();
  for (const auto& element : value) {
    if (!element.is_string()) refuse(name, "it must be an array of texts");
    target.push_back(element.get<std::string>());
  }
}

void StrictObject::convert(const nlohmann::json& value, const char* name,
                           std::map<std::string, std::string>& target) const {
  if (!value.is_object()) refuse(name, "it must be an object of texts");
  target.clear();
  for (const auto& [key, element] : value.items()) {
    if (!element.is_string()) refuse(name, "the value of '" + key + "' must be a text in quotes");
    target.emplace(key, element.get<std::string>());
  }
}

}  // namespace slipway::slurm
