// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/rpc/execution.hpp"
#include "slipway/tasks/object.hpp"

namespace slipway::detail {

// For the first time by that rank; or once more, since it was sent elsewhere and did not find it there.
enum class Asked : bool { first, again };

// Another rank asks for a value that this one has, or will have: it gets the value, or is told which rank has it, once
// the outcome is there. A ref to the object is taken over.
void answer(const ReplyTo& reply, ObjectPart& object, Asked asked);

}  // namespace slipway::detail
