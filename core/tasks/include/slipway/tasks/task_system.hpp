// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slipway/observe/task_events.hpp"
#include "slipway/observe/wait_log.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/tasks/task_asks.hpp"
#include "slipway/tasks/task_settings.hpp"

namespace slipway::detail {

class TaskBase;
struct TaskSystemParts;

// The tasks and values of one rank: which are ready, and who runs them. Any thread.
class TaskSystem {
 public:
  // Of this thread's rank. Throws UsageError where no program runs.
  static TaskSystem& of_this_thread();

  // `first_node`: from there on its nodes lie; this rank's are made.
  // `ranks`: what tasks may use of each.
  TaskSystem(Endpoint& endpoint, const TaskSettings& settings, NodeId first_node, std::vector<RankCapacity> ranks);
  ~TaskSystem();
  TaskSystem(const TaskSystem&) = delete;
  TaskSystem& operator=(const TaskSystem&) = delete;

  Endpoint& endpoint() const { return endpoint_; }
  std::uint64_t seed() const { return seed_; }

  // Its nodes, behind those that there are. The first of them.
  static NodeId add_nodes(std::vector<NodePlace>& places, std::uint32_t ranks);

  // How many there were before.
  std::uint64_t count_submitted() { return submitted_.fetch_add(1, std::memory_order_relaxed); }
  // All that the task needs is there; one reference is taken over.
  void push(TaskBase* task);
  void count_finished() { finished_.fetch_add(1, std::memory_order_release); }

  std::uint64_t finished() const { return finished_.load(std::memory_order_acquire); }
  // Tasks that were submitted and are not over.
  std::uint64_t unfinished() const {
    const std::uint64_t over = finished();  // first: a task is submitted before it is over
    return submitted_.load(std::memory_order_relaxed) - over;
  }
  // Of tasks that are ready and were not before, on a thread that may run user code.
  void look_for_help();
  // Now and then, on one thread.
  void look_around();
  // Something that other ranks must know of is on its way to them.
  bool has_messages() const;

  // From now on nothing begins: a task whose turn comes fails with Stopped instead.
  void close(const std::string& reason);
  bool is_closed() const;
  std::exception_ptr closed_error() const;

  // From now on tasks leave traces in the file, up to `rate` a second in full, about. It is made for the first ones.
  void trace_into(const std::filesystem::path& file, const TaskEventsHead& head, std::uint32_t rate);
  // From now on what waits give out is kept in the file, until that has grown by so many bytes.
  void log_waits_into(const std::filesystem::path& file, std::uint64_t most_bytes);
  // Waits give out what they gave out in the run that left these records. Before any task.
  void repeat_waits(std::span<const WaitRecord> records);
  // How many did not fit.
  std::uint64_t strayed_waits() const;
  // Traces and waits that there are, into the files: now and then, one thread at a time. Throws Error, and there are no
  // more of them.
  void write_traces();

  // Values that other ranks have refs to, and refs to values of other ranks.
  std::size_t lent_values() const;
  std::size_t borrowed_values() const;
  // How often it has given a value to another rank.
  std::uint64_t values_given() const;

  TaskSystemParts& parts() const { return *parts_; }

 private:
  Endpoint& endpoint_;
  const std::uint64_t seed_;
  std::unique_ptr<TaskSystemParts> parts_;
  // Apart: who submits and who runs are seldom the same thread.
  alignas(64) std::atomic<std::uint64_t> submitted_{0};
  alignas(64) std::atomic<std::uint64_t> finished_{0};
};

}  // namespace slipway::detail
