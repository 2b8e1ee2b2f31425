// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "shipping.hpp"
#include "slipway/rpc/call_state.hpp"
#include "slipway/rpc/reader.hpp"
#include "slipway/rpc/runnable.hpp"
#include "slipway/tasks/outcome.hpp"
#include "slipway/tasks/task.hpp"
#include "slipway/tasks/task_system.hpp"

namespace slipway::detail {

// A task that runs on another rank, as a call: its outcome is that of the task. It has one reference for `come_back`.
class ShippedTask final : public CallState, public Continuation, public Runnable {
 public:
  // A reference to the task is taken over.
  ShippedTask(TaskBase& task, Shipping& shipping, RankId to) : task_(task), shipping_(shipping), to_(to) {
    static_cast<void>(attach(*this));
    retain_unshared();  // for notify
  }

  void decode_value(Reader& reader) override {
    bytes_ = reader.remaining();
    reader.bytes(&ran_for_, sizeof ran_for_);
    reader.bytes(&slots_, sizeof slots_);
    read_outcome(reader);
    task_.read_results(reader);
    for (const MutableSegment& segment : reader.destinations()) bytes_ += segment.size;
  }
  void take_body(std::span<const std::byte> body) override {
    Reader reader(body);
    decode_value(reader);
    reader.finish();
  }
  // It was not sent after all: nobody will say how it ends, and the task stays whose it was.
  void forget() {
    static_cast<void>(detach(*this));
    release();
  }
  // What the task holds goes with it, which may run user code.
  void notify(CallState&) override {
    if (task_.is_plain()) {
      come_back();
    } else {
      task_.system().endpoint().run_beside(this);
    }
  }
  void execute() override { come_back(); }
  std::string describe() const override { return fmt::format("task {} on rank {}", task_.path(), to_.value()); }

 private:
  void come_back() {
    ignore_errors();
    shipping_.came_back(task_, to_, ran_for_, slots_);
    task_.came_back(failed() ? error() : nullptr, bytes_);
    task_.release();
    release();
  }

  TaskBase& task_;
  Shipping& shipping_;
  const RankId to_;
  seam::Time ran_for_ = 0;
  std::uint32_t slots_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace slipway::detail
