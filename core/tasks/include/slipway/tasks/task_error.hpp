// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "slipway/base/error.hpp"

namespace slipway {

// Where and how a task failed.
struct TaskFailure {
  std::string type;  // demangled type of the exception
  std::string text;  // its what()
  std::string path;  // the task behind those that submitted it: "search > rollout"
  std::uint32_t rank = 0;
  std::uint32_t attempt = 1;  // above 1: it had been run before, and had thrown as well
};

// What `get` on the ref of a failed task throws. Where a task did not run because a ref that it needs has failed, the
// failure is that of the first task in the chain, and the text says through which tasks it came.
class TaskError : public CallError {
 public:
  TaskError(const std::string& text, TaskFailure failure, HandlerRan ran)
      : CallError(text, ran), failure_(std::move(failure)) {}
  const TaskFailure& failure() const { return failure_; }

 private:
  TaskFailure failure_;
};

}  // namespace slipway
