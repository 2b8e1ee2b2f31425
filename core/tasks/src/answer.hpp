// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/rpc/execution.hpp"
#include "slipway/tasks/object.hpp"

namespace slipway::detail {

// Another rank asks for a value of this one: it gets the value, or is told which rank has it, once the outcome is
// there. A ref to the object is taken over.
void answer(const ReplyTo& reply, ObjectPart& object);

}  // namespace slipway::detail
