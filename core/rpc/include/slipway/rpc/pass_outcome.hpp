// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include "slipway/rpc/execution.hpp"

namespace slipway::detail {

// The outcome of `from`, which is there, becomes that of `to`, which the caller has claimed.
template <class Result>
void pass_outcome(ResultState<Result>& from, ResultState<Result>& to) {
  try {
    from.rethrow();
    from.materialize();
    to.value = std::move(from.value);
  } catch (...) {
    to.fail(std::current_exception());
    return;
  }
  to.finish();
}

}  // namespace slipway::detail
