// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "reply.hpp"

#include <optional>

namespace slipway::detail {

void reply_with(const ReplyTo& reply, bool plain, const std::function<void(Writer&)>& write,
                const std::function<std::shared_ptr<void>()>& keep) {
  Endpoint& endpoint = *reply.endpoint;
  // Of its own: the thread may be amid a call, and wait for room.
  Writer writer(plain && reply.rank != endpoint.rank() ? array_segment_threshold : Writer::never);
  write(writer);
  if (!writer.has_segments()) return endpoint.reply(reply.rank, reply.call_id, writer, nullptr);
  std::optional<Writer> replacement;
  fit_body(writer, write, replacement);
  endpoint.reply(reply.rank, reply.call_id, replacement ? *replacement : writer, keep());
}

}  // namespace slipway::detail
