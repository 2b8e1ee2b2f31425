// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "slipway/tasks/object.hpp"

namespace slipway::detail {

// What `ObjectOf::read_source` reads: the value is in that object, of so many bytes.
void write_source(Writer& writer, ObjectPart& object, std::uint64_t bytes);
// The same of a value that goes along: nothing, where its type never stays anywhere.
void write_no_source(Writer& writer, ObjectPart& object);

}  // namespace slipway::detail
