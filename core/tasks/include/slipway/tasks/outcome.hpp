// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "slipway/base/error.hpp"

namespace slipway {

class Reader;
class Writer;

namespace detail {

// The rank that had a value has it no more; its owner may have it made again.
class ValueLost final : public PeerLost {
 public:
  using PeerLost::PeerLost;
};

// How the outcome of a task goes to another rank: a byte, then what made it fail, or the values.
void write_success(Writer& writer);
void write_failure(Writer& writer, const std::exception_ptr& error);
// Throws the failure; else the values follow.
void read_outcome(Reader& reader);

}  // namespace detail
}  // namespace slipway
