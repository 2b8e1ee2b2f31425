// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_path.hpp"

#include <fmt/format.h>

#include <utility>

#include "running_task.hpp"
#include "slipway/rpc/node_slot.hpp"
#include "slipway/tasks/task.hpp"

namespace slipway::detail {

namespace {

std::string name_of(const Activity& activity) {
  const char* const doing = activity.doing ? activity.doing : activity.node ? "a handler" : "a thread";
  return activity.node ? fmt::format("{} of node '{}'", doing, activity.node->label) : doing;
}

// The path of the activity that submitted last on this thread: most submit more than once.
struct Latest {
  std::uint64_t activity = 0;
  TaskPath* path = nullptr;
  ~Latest() {
    if (path) path->release();
  }
};
thread_local Latest latest;

}  // namespace

TaskPath::TaskPath(std::string name, TaskPath* parent) : name_(std::move(name)) {
  if (!parent) return;
  left_out_ = parent->left_out_;
  if (parent->levels_ == most_levels) {
    left_out_ += parent->levels_;
    cancelled_.store(parent->is_cancelled(), std::memory_order_relaxed);
    parent->release();
  } else {
    levels_ = parent->levels_ + 1;
    parent_ = parent;
  }
}

TaskPath* TaskPath::of(Activity& activity) {
  if (TaskBase* const task = task_of(activity)) return task->path_of_children();
  if (latest.activity != activity.id || !latest.path) {
    if (latest.path) latest.path->release();
    latest = {activity.id, nullptr};
    latest.path = new TaskPath(name_of(activity), nullptr);
  }
  latest.path->retain();
  return latest.path;
}

// By a loop: a path may be long.
void TaskPath::release() {
  TaskPath* path = this;
  while (path && path->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete std::exchange(path, path->parent_);
  }
}

std::string TaskPath::text() const {
  std::string text = name_;
  for (const TaskPath* path = parent_; path; path = path->parent_) text = path->name_ + " > " + text;
  return left_out_ > 0 ? fmt::format("({} more) > {}", left_out_, text) : text;
}

bool TaskPath::is_cancelled() const {
  const TaskPath* path = this;
  while (path && !path->cancelled_.load(std::memory_order_acquire)) path = path->parent_;
  return path != nullptr;
}

}  // namespace slipway::detail
