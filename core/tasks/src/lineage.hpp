// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "slipway/base/ids.hpp"
#include "slipway/tasks/object.hpp"

namespace slipway::detail {

// Has the value of `head` made once more, if nobody has done so yet: `lost`, the last of its sources, gets a source. On
// a thread that may wait and run user code.
void recover(ObjectPart& head, ObjectPart& lost);

// What a rank says that has lost a value.
std::exception_ptr value_lost(RankId rank);

}  // namespace slipway::detail
