// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "slipway/rpc/execution.hpp"
#include "slipway/rpc/writer.hpp"

namespace slipway::detail {

// Answers with what `write` writes, perhaps more than once. `plain`: that runs no user code, and large arrays travel
// apart from the message; what `keep` gives keeps them until they have left.
void reply_with(const ReplyTo& reply, bool plain, const std::function<void(Writer&)>& write,
                const std::function<std::shared_ptr<void>()>& keep);

}  // namespace slipway::detail
