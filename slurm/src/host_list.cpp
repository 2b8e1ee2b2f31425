// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/host_list.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"

namespace slipway::slurm {

namespace {

constexpr std::size_t most_names = 1'000'000;
constexpr std::size_t most_digits = 18;  // longer numbers stay text

[[noreturn]] void refuse(std::string_view list, const std::string& why) {
  throw UsageError("'" + std::string(list) + "' is no list of hosts (" + why +
                   "); write names and ranges as in node[1-3,7],login");
}

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

std::uint64_t number_in(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string padded(std::uint64_t value, std::size_t width) {
  std::string digits = std::to_string(value);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// Splits at commas outside brackets.
std::vector<std::string_view> terms_of(std::string_view list) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char letter = at < list.size() ? list[at] : ',';
    if (letter == '[') {
      if (inside) refuse(list, "a bracket inside a bracket");
      inside = true;
    } else if (letter == ']') {
      if (!inside) refuse(list, "a ']' without its '['");
      inside = false;
    } else if (letter == ',' && (!inside || at == list.size())) {
      if (inside) refuse(list, "a '[' without its ']'");
      if (at > start) terms.push_back(list.substr(start, at - start));
      start = at + 1;
    }
  }
  return terms;
}

// The numbers of "1-3,07": "1", "2", "3", "07".
std::vector<std::string> numbers_of(std::string_view list, std::string_view inside) {
  std::vector<std::string> numbers;
  for (const std::string_view range : split(inside, ',')) {
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
    for (const std::string_view digits : {low, high}) {
      if (digits.empty() || digits.size() > most_digits || !std::all_of(digits.begin(), digits.end(), is_digit)) {
        refuse(list, "'" + std::string(range) + "' is no range of numbers");
      }
    }
    const std::uint64_t first = number_in(low);
    const std::uint64_t last = number_in(high);
    if (first > last) refuse(list, "the range '" + std::string(range) + "' goes down");
    if (last - first >= most_names - numbers.size()) refuse(list, "more than 1000000 names");
    for (std::uint64_t number = first; number <= last; ++number) numbers.push_back(padded(number, low.size()));
  }
  return numbers;
}

// "rack[1-2]node[01-02]" in parts: texts before, between and behind the brackets, and the numbers in each.
struct Term {
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> numbers;
};

Term parse_term(std::string_view list, std::string_view term) {
  Term parsed;
  while (true) {
    const std::size_t open = term.find('[');
    parsed.texts.emplace_back(term.substr(0, open));
    if (open == std::string_view::npos) return parsed;
    const std::size_t close = term.find(']', open);
    parsed.numbers.push_back(numbers_of(list, term.substr(open + 1, close - open - 1)));
    term.remove_prefix(close + 1);
  }
}

// Slurm's order: the last bracket counts fastest; of the others, the first does.
std::vector<std::string> expand_term(std::string_view list, std::string_view text) {
  const Term term = parse_term(list, text);
  const std::size_t brackets = term.numbers.size();
  std::size_t count = 1;
  for (const auto& numbers : term.numbers) {
    count *= numbers.size();
    if (count > most_names) refuse(list, "more than 1000000 names");
  }
  std::vector<std::string> names;
  names.reserve(count);
  std::vector<std::size_t> at(brackets, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = term.texts.front();
    for (std::size_t bracket = 0; bracket < brackets; ++bracket) {
      name.append(term.numbers[bracket][at[bracket]]).append(term.texts[bracket + 1]);
    }
    names.push_back(std::move(name));
    for (std::size_t step = 0; step < brackets; ++step) {
      const std::size_t bracket = step == 0 ? brackets - 1 : step - 1;
      if (++at[bracket] < term.numbers[bracket].size()) break;
      at[bracket] = 0;
    }
  }
  return names;
}

// A name whose end is a number.
struct Numbered {
  std::string_view prefix;
  std::string_view digits;
  std::uint64_t number = 0;
};

std::optional<Numbered> numbered(std::string_view name) {
  std::size_t digits = 0;
  while (digits < name.size() && digits < most_digits && is_digit(name[name.size() - 1 - digits])) ++digits;
  if (digits == 0 || digits == name.size()) return std::nullopt;  // a bare number is no prefix's
  const std::string_view number = name.substr(name.size() - digits);
  return Numbered{name.substr(0, name.size() - digits), number, number_in(number)};
}

bool continues(const Numbered& next, std::string_view first_digits, std::uint64_t last) {
  return next.number == last + 1 && next.digits == padded(next.number, first_digits.size());
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view term : terms_of(list)) {
    auto more = expand_term(list, term);
    if (names.size() + more.size() > most_names) refuse(list, "more than 1000000 names");
    std::move(more.begin(), more.end(), std::back_inserter(names));
  }
  return names;
}

std::string compress_host_list(std::span<const std::string> names) {
  std::string list;
  for (std::size_t at = 0; at < names.size();) {
    if (!list.empty()) list.push_back(',');
    const auto first = numbered(names[at]);
    std::string ranges;
    std::size_t next = at;
    for (auto host = first; host && host->prefix == first->prefix;) {  // one range a turn
      const std::string_view low = host->digits;
      std::string_view high = low;
      std::uint64_t last = host->number;
      host = ++next < names.size() ? numbered(names[next]) : std::nullopt;
      while (host && host->prefix == first->prefix && continues(*host, low, last)) {
        last = host->number;
        high = host->digits;
        host = ++next < names.size() ? numbered(names[next]) : std::nullopt;
      }
      ranges.append(ranges.empty() ? "" : ",").append(low);
      if (high != low) ranges.append("-").append(high);
    }
    if (next <= at + 1) {
      list += names[at++];
    } else {
      list.append(first->prefix).append("[").append(ranges).append("]");
      at = next;
    }
  }
  return list;
}

}  // namespace slipway::slurm
