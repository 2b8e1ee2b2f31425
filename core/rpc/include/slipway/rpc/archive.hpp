// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <stdexcept>

#include "slipway/rpc/coders.hpp"
#include "slipway/rpc/reader.hpp"
#include "slipway/rpc/transferable.hpp"
#include "slipway/rpc/writer.hpp"

namespace slipway {

// Appends the value. Throws UsageError when it nests too deep, and what the user's own serialize throws.
template <Transferable T>
void encode(Writer& writer, const T& value) {
  detail::encode_value(writer, value);
}

// Reads the next value over `value`. Throws WireError when the bytes are no T, leaving some value; and what the user's
// own serialize throws.
template <Transferable T>
void decode(Reader& reader, T& value) {
  try {
    detail::decode_value(reader, value);
  } catch (const std::bad_alloc&) {
    detail::throw_wire_error("a value too large for the memory of this host");
  } catch (const std::length_error&) {
    detail::throw_wire_error("a value too large for its container");
  }
}

}  // namespace slipway
