// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "work_message.hpp"

#include <span>

#include "control.hpp"
#include "slipway/rpc/archive.hpp"

namespace slipway::detail {

std::string work_message(const Work& work, seam::Time now) {
  Writer writer;
  for (const auto& [unit, done] : work) {
    encode(writer, unit);
    encode(writer, done.amount);
    encode(writer, now - done.last);
  }
  return text_of(writer);
}

Work work_from(std::string_view text, seam::Time now) {
  Reader reader(std::as_bytes(std::span(text.data(), text.size())));
  Work work;
  while (reader.remaining() > 0) {
    std::string unit;
    seam::Time age = 0;
    decode(reader, unit);
    WorkDone& done = work[unit];
    decode(reader, done.amount);
    decode(reader, age);
    done.last = now - age;
  }
  return work;
}

}  // namespace slipway::detail
