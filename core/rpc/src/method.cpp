// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/method.hpp"

#include <algorithm>
#include <mutex>

#include "slipway/base/error.hpp"
#include "slipway/base/hash.hpp"

namespace slipway::detail {

namespace {

// Filled by static initialisers, in an order that means nothing.
MethodEntry* first_entry = nullptr;
Upcast* first_upcast = nullptr;
std::size_t entry_count = 0;
std::vector<MethodEntry*> table;

}  // namespace

// "… pretty_method_name() [with T = Producer; auto Method = &Producer::draw; …" -> "Producer::draw"; the signature that
// some compilers print in front of the name is left out.
std::string function_name(std::string_view pretty) {
  const std::string_view key = "Method = ";
  const auto begin = pretty.rfind(key);
  if (begin == std::string_view::npos) return std::string(pretty);
  std::string_view name = pretty.substr(begin + key.size());
  name = name.substr(0, name.find_first_of(";]"));
  if (const auto ampersand = name.rfind('&');
      ampersand != std::string_view::npos && name.find("::", ampersand) != std::string_view::npos) {
    name = name.substr(ampersand + 1);
  }
  while (!name.empty() && name.back() == ')' && name.find('(') == std::string_view::npos) name.remove_suffix(1);
  return std::string(name);
}

void register_method(MethodEntry& entry, const std::type_info& tag, std::string_view pretty) {
  entry.symbol = tag.name();
  entry.id = fnv1a(entry.symbol);
  entry.name = function_name(pretty);
  entry.next = first_entry;
  first_entry = &entry;
  ++entry_count;
}

const std::vector<MethodEntry*>& method_table() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!table.empty() && table.size() != entry_count) {
    throw UsageError(
        "a library that was loaded after the start adds callable methods (ranks agreed on the method table before). "
        "Link it, or load it before slipway::launch");
  }
  if (!table.empty() || entry_count == 0) return table;
  for (MethodEntry* entry = first_entry; entry; entry = entry->next) table.push_back(entry);
  std::sort(table.begin(), table.end(), [](const MethodEntry* a, const MethodEntry* b) { return a->id < b->id; });
  for (std::size_t row = 0; row < table.size(); ++row) {
    table[row]->index = MethodId(static_cast<std::uint32_t>(row));
    if (row > 0 && table[row]->id == table[row - 1]->id) {
      const std::string text =
          "two methods have the same id (their mangled names hash to one number): " + table[row - 1]->name + " and " +
          table[row]->name + ". Rename one of them";
      table.clear();
      throw UsageError(text);
    }
  }
  return table;
}

const std::vector<MethodEntry*>& method_table_unlocked() { return table; }

void register_upcast(Upcast& upcast) {
  upcast.next = first_upcast;
  first_upcast = &upcast;
}

void* upcast(void* object, const std::type_info& from, const std::type_info& to) {
  if (from == to) return object;
  for (const Upcast* each = first_upcast; each; each = each->next) {
    if (*each->from != from) continue;
    if (void* const converted = upcast(each->convert(object), *each->to, to)) return converted;
  }
  return nullptr;
}

}  // namespace slipway::detail
