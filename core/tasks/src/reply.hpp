// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "slipway/rpc/execution.hpp"
#include "slipway/rpc/writer.hpp"

namespace slipway::detail {

// Answers with what `write` writes. `plain`: it runs no user code, and arrays may travel apart from the message; `kept`
// then keeps them until they have left. May write more than once.
void reply_with(const ReplyTo& reply, bool plain, const std::function<void(Writer&)>& write,
                const std::function<std::shared_ptr<void>()>& keep);

}  // namespace slipway::detail
