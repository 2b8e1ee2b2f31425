// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace slipway::detail {

// Of the calling thread's stack less than a quarter is left: what may go on elsewhere should.
bool stack_is_short();

}  // namespace slipway::detail
