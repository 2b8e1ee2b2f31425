// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slipway::detail {

// A text in a fixed buffer, always zero-terminated; what does not fit is cut off. Usable in signal handlers.
class SignalSafeText {
 public:
  SignalSafeText& add(std::string_view text) {
    for (const char letter : text) put(letter);
    return *this;
  }
  SignalSafeText& add(const char* text) { return add(std::string_view(text ? text : "")); }
  SignalSafeText& add(std::uint64_t number) {
    char digits[20];
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }
  SignalSafeText& add_hex(std::uint64_t number) {
    add("0x");
    int shift = 60;
    while (shift > 0 && (number >> shift) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) put("0123456789abcdef"[(number >> shift) & 15]);
    return *this;
  }
  // A JSON string with its quotes; control characters become spaces.
  SignalSafeText& add_quoted(const char* text) {
    put('"');
    for (const char* letter = text ? text : ""; *letter; ++letter) {
      if (*letter == '"' || *letter == '\\') put('\\');
      put(static_cast<unsigned char>(*letter) < 0x20 ? ' ' : *letter);
    }
    return put('"');
  }

  const char* data() const { return buffer_; }
  std::string_view view() const { return {buffer_, size_}; }

 private:
  SignalSafeText& put(char letter) {
    if (size_ + 1 < sizeof buffer_) buffer_[size_++] = letter;
    return *this;
  }

  char buffer_[6144] = {};
  std::size_t size_ = 0;
};

}  // namespace slipway::detail
