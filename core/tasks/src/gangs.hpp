// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/tasks/gang_seat.hpp"

namespace slipway::detail {

class TaskBase;
struct TaskSystemParts;

// The gangs that this rank has submitted. A member that has its arguments waits here for the others; then the scheduler
// of gangs is asked for ranks, and the members go there as any task does; when the last one is there, all begin. One
// that ends before that ends them all. Any thread.
class Gangs {
 public:
  explicit Gangs(TaskSystemParts& parts) : parts_(parts) {}
  ~Gangs();
  Gangs(const Gangs&) = delete;
  Gangs& operator=(const Gangs&) = delete;

  // They get their seats. Before they start.
  void open(const std::vector<TaskBase*>& members);
  // It has all but a rank; a reference is taken over.
  void member_ready(TaskBase& member);
  void member_ended(const TaskBase& member);
  // Nobody wants what it makes, perhaps while it waits for the others.
  void member_unwanted(const TaskBase& member);
  // From the scheduler of gangs.
  void placed(std::uint64_t gang, const std::vector<std::uint32_t>& ranks);
  // From the rank where a member is about to begin.
  void arrived(std::uint64_t gang);
  // All that wait for a rank, with a reference each.
  [[nodiscard]] std::vector<TaskBase*> take_waiting();

 private:
  struct Entry {
    std::vector<TaskBase*> members;  // with a reference each
    std::vector<TaskBase*> waiting;  // with another one
    Ref<void> start;
    std::uint32_t arrived = 0;
    std::uint32_t ended = 0;
    bool asking = false;           // the scheduler is just about to know of it
    bool scheduler_knows = false;  // and must be told of its end
    bool broken = false;           // it will not begin
    bool told = false;             // all members that it is broken
  };

  void ask_for_ranks(std::uint64_t gang);
  void settle(std::uint64_t gang);
  void settle_soon(std::uint64_t gang);
  static void break_up(const Entry& broken);

  TaskSystemParts& parts_;
  seam::SpinLock lock_;  // guards entries_
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace slipway::detail
