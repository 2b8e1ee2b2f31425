// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "control.hpp"

#include <span>

#include "slipway/rpc/archive.hpp"

namespace slipway::detail {

std::string text_of(const Writer& writer) {
  const auto body = writer.body();
  return {reinterpret_cast<const char*>(body.data()), body.size()};
}

std::string to_bytes(const Control& control) {
  Writer writer;
  encode(writer, static_cast<std::uint8_t>(control.kind));
  encode(writer, control.number);
  encode(writer, control.first);
  encode(writer, control.second);
  encode(writer, control.text);
  return text_of(writer);
}

Control control_from(std::string_view bytes) {
  Reader reader(std::as_bytes(std::span(bytes.data(), bytes.size())));
  Control control;
  std::uint8_t kind = 0;
  decode(reader, kind);
  if (kind > static_cast<std::uint8_t>(ControlKind::abort)) throw WireError("a control message of unknown kind");
  control.kind = static_cast<ControlKind>(kind);
  decode(reader, control.number);
  decode(reader, control.first);
  decode(reader, control.second);
  decode(reader, control.text);
  reader.finish();
  return control;
}

}  // namespace slipway::detail
