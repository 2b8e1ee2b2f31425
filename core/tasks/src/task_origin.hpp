// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/execution.hpp"
#include "slipway/tasks/gang_seat.hpp"
#include "slipway/tasks/task_asks.hpp"

namespace slipway::detail {

// What goes with a task to another rank, before its arguments.
struct TaskHead {
  std::uint64_t id = 0;
  std::uint64_t chain = 0;
  std::uint8_t priority = 0;
  std::string name;  // empty: the function's own
  std::string path;  // of who submitted it
  std::optional<TaskAsks> asks = std::nullopt;
  std::uint8_t trace_level = 0;  // see EventLog
  std::uint8_t retries = 0;
  std::uint32_t lost = 0;  // attempts
  std::optional<GangSeat> seat = std::nullopt;
};

// Where a guest comes from, and its outcome goes.
struct TaskOrigin {
  static std::unique_ptr<TaskOrigin> read(Reader& reader, const ReplyTo& reply);

  ReplyTo reply;
  TaskHead head;
  seam::Time began = 0;  // to run
  seam::Time ran_for = 0;
};

}  // namespace slipway::detail
