// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

class Endpoint;
struct Entry;
class NodeSlot;

// One run(), constructor, handler or user thread: the unit of order and of ids (design: activity).
struct Activity {
  std::uint64_t id = 0;
  std::uint64_t chain = 0;        // the activity at the root of these nested calls
  std::uint32_t next_call = 0;    // index of the next call it makes
  std::uint32_t next_wait = 0;    // index of the next wait for one of several tasks
  seam::Time deadline = seam::never;  // handed on to what it calls
  NodeSlot* node = nullptr;       // whose code runs; nullptr: a user thread
  RankId caller;                  // for a handler: the call that it serves
  std::atomic<std::uint64_t> call_id{0};
  const void* local_state = nullptr;  // the CallState of a call inside the rank
  std::uint64_t waited = 0;       // nanoseconds of its life spent waiting
  bool is_constructor = false;
  bool is_task = false;
  bool holds_strand = false;
  std::atomic<std::uint64_t> waiting_on{0};  // key of its wait in the wait registry, 0: it does not wait
  const char* doing = nullptr;    // for messages: what user code this is, "run()", a method
  const Entry* batch = nullptr;   // the requests among which the one that it runs came: more may wait there
  Activity* previous = nullptr;   // what the thread did before this one began on its stack
};

// splitmix64's finisher over both: ids of children spread evenly and depend on nothing but parent and index.
inline std::uint64_t child_id(std::uint64_t parent, std::uint64_t index) {
  std::uint64_t value = parent + 0x9e3779b97f4a7c15ULL * (index + 1);
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// What this thread is doing, and for which rank.
struct Current {
  Endpoint* endpoint = nullptr;
  Activity* activity = nullptr;
};
inline thread_local constinit Current current;

// Makes `activity` the thread's own until the scope ends.
class ActivityScope {
 public:
  ActivityScope(Endpoint& endpoint, Activity& activity) : before_(current) {
    activity.previous = before_.activity;
    current = {&endpoint, &activity};
  }
  ~ActivityScope() { current = before_; }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  Current before_;
};

}  // namespace slipway::detail
