// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "gangs.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "slipway/rpc/runnable.hpp"
#include "slipway/tasks/task.hpp"
#include "slipway/tasks/task_error.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

Ref<void> unset_value(std::uint64_t id) { return Ref<void>(new ObjectOf<void>(id, nullptr)); }

void set_value(const Ref<void>& ref) {
  if (ref.object().claim()) ref.object().finish();
}

std::exception_ptr broken_error(const TaskBase& member) {
  return std::make_exception_ptr(Cancelled(
      fmt::format("task {} was not run, since another member of its gang ended before all were there", member.path()),
      HandlerRan::no));
}

}  // namespace

Gangs::~Gangs() {
  for (auto& [gang, entry] : entries_) {
    for (TaskBase* const member : entry.members) member->release();
  }
}

void Gangs::open(const std::vector<TaskBase*>& members) {
  const std::uint64_t gang = members.front()->id();
  Entry entry{.members = members, .start = unset_value(child_id(gang, ~std::uint64_t{0}))};
  for (std::size_t place = 0; place < members.size(); ++place) {
    members[place]->retain();
    members[place]->take_seat({.gang = gang,
                               .owner = parts_.endpoint().rank().value(),
                               .member = static_cast<std::uint32_t>(place),
                               .start = entry.start});
  }
  const std::lock_guard guard(lock_);
  entries_.emplace(gang, std::move(entry));
}

void Gangs::member_ready(TaskBase& member) {
  const std::uint64_t gang = member.seat()->gang;
  std::unique_lock guard(lock_);
  const auto found = entries_.find(gang);
  if (found == entries_.end() || found->second.broken) {  // it was dropped meanwhile
    guard.unlock();
    member.drop(broken_error(member));
    member.release();
    return;
  }
  Entry& entry = found->second;
  entry.waiting.push_back(&member);
  const bool complete = entry.waiting.size() == entry.members.size();
  guard.unlock();
  if (complete) parts_.endpoint().run_beside(new Job([this, gang] { ask_for_ranks(gang); }));
}

void Gangs::ask_for_ranks(std::uint64_t gang) {
  std::unique_lock guard(lock_);
  const auto found = entries_.find(gang);
  if (found == entries_.end() || found->second.broken) return;
  Entry& entry = found->second;  // stays while it asks
  entry.asking = true;
  guard.unlock();
  parts_.tell_desk<&TaskNode::add_gang>(cluster_rank, parts_.endpoint().rank().value(), gang,
                                        static_cast<std::uint32_t>(entry.members.size()),
                                        *entry.members.front()->asks());
  guard.lock();
  entry.asking = false;
  entry.scheduler_knows = true;
  guard.unlock();
  settle(gang);  // members may have ended meanwhile
}

void Gangs::placed(std::uint64_t gang, const std::vector<std::uint32_t>& ranks) {
  std::vector<TaskBase*> members;
  {
    const std::lock_guard guard(lock_);
    const auto found = entries_.find(gang);
    if (found == entries_.end() || found->second.broken) return;
    members = std::exchange(found->second.waiting, {});
  }
  for (TaskBase* const member : members) {
    member->place(ranks);
    parts_.router.route(*member);
  }
  parts_.call_looker();
}

void Gangs::arrived(std::uint64_t gang) {
  Ref<void> start;
  {
    const std::lock_guard guard(lock_);
    const auto found = entries_.find(gang);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (++entry.arrived < entry.members.size() || entry.broken) return;
    start = entry.start;
  }
  set_value(start);
}

void Gangs::member_ended(const TaskBase& member) {
  const std::uint64_t gang = member.seat()->gang;
  bool news = false;
  {
    const std::lock_guard guard(lock_);
    Entry& entry = entries_.at(gang);
    ++entry.ended;
    // An argument that failed will fail the others as well, and they are to say so.
    if (entry.arrived < entry.members.size() && !member.has_failed_input()) entry.broken = true;
    news = (entry.broken && !entry.told) || entry.ended == entry.members.size();
  }
  if (news) settle_soon(gang);
}

void Gangs::member_unwanted(const TaskBase& member) {
  const std::uint64_t gang = member.seat()->gang;
  {
    const std::lock_guard guard(lock_);
    const auto found = entries_.find(gang);
    if (found == entries_.end() || found->second.arrived == found->second.members.size()) return;
    if (std::exchange(found->second.broken, true)) return;
  }
  settle_soon(gang);
}

void Gangs::settle_soon(std::uint64_t gang) {
  parts_.endpoint().run_beside(new Job([this, gang] { settle(gang); }));
}

// What a broken gang, or one that is over, leaves to be done.
void Gangs::settle(std::uint64_t gang) {
  Entry broken;
  Entry over;
  {
    const std::lock_guard guard(lock_);
    const auto found = entries_.find(gang);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (entry.broken && !std::exchange(entry.told, true)) {
      for (TaskBase* const member : entry.members) member->retain();
      broken = {.members = entry.members, .waiting = std::exchange(entry.waiting, {}), .start = entry.start};
    }
    if (entry.ended == entry.members.size() && !entry.asking) {
      over = std::move(entry);
      entries_.erase(found);
    }
  }
  if (!broken.members.empty()) break_up(broken);
  for (TaskBase* const member : over.members) member->release();
  if (over.scheduler_knows) {
    parts_.tell_desk<&TaskNode::remove_gang>(cluster_rank, parts_.endpoint().rank().value(), gang);
  }
}

// Members that wait for the others hear of it by the value that they wait for; after their outcomes are settled.
void Gangs::break_up(const Entry& broken) {
  for (TaskBase* const member : broken.waiting) {
    member->drop(broken_error(*member));
    member->release();
  }
  for (TaskBase* const member : broken.members) member->cancel(false);
  CallState& start = broken.start.object().state();
  if (start.claim()) {
    start.ignore_errors();
    start.fail(broken_error(*broken.members.front()));
  }
  for (TaskBase* const member : broken.members) member->release();
}

std::vector<TaskBase*> Gangs::take_waiting() {
  const std::lock_guard guard(lock_);
  std::vector<TaskBase*> all;
  for (auto& [gang, entry] : entries_) {
    all.insert(all.end(), entry.waiting.begin(), entry.waiting.end());
    entry.waiting.clear();
  }
  return all;
}

}  // namespace slipway::detail
