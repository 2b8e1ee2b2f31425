// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/observe/counters.hpp"
#include "slipway/rpc/activity.hpp"
#include "slipway/rpc/mailbox.hpp"
#include "slipway/rpc/method.hpp"

namespace slipway::detail {

class Endpoint;
class Execution;

// How a node admits handlers. Members keep their order for ever.
struct Admission {
  std::uint32_t concurrency = 1;
  bool interleave = false;  // others are admitted while a coroutine handler is suspended
  bool own_thread = false;  // built, called and destroyed on one thread of its own
  // Handlers run on whichever thread received their requests, after its turn: for the runtime's own, which are short,
  // never wait, and run no user code.
  bool on_poller = false;
};

// One node on its own rank: the object, its mailbox, and who runs in it.
class NodeSlot {
 public:
  NodeSlot(Endpoint& endpoint, NodeId id, std::string label, const std::type_info& type, Admission admission,
           std::uint32_t ranks);

  // Until the object is set, requests gather in the mailbox.
  void construct_done(void* object);
  // Fails all that waits and all that comes, with this reason.
  void close(const char* reason);
  // The threads of the rank have ended: frees what still waits.
  void abandon();
  // After something was put into the mailbox. True: the node is closed, and nothing waits any more.
  bool drop_if_closed();

  void admit(Entry* entry);
  void admit_quietly(Entry* entry);  // from a poll: the poller wakes the pool afterwards
  // Runs entries until none waits or a coroutine keeps the strand. From a token, or after `Mailbox` made this thread
  // active.
  void run_token();
  void run_active(Entry* entry);
  // What a coroutine or an outside thread kept is free again.
  void strand_returned();
  // Schedules what `Mailbox::leave` said must be.
  void schedule();

  // Running handlers, for probes and reports.
  void began(Activity& activity);
  void ended(Activity& activity);
  template <class F>
  void for_each_running(F&& f) {
    running_lock_.lock();
    for (Activity* activity : running_) f(*activity);
    running_lock_.unlock();
  }

  Endpoint& endpoint;
  const NodeId id;
  const std::string label;
  const std::type_info& type;
  const Admission admission;
  void* object = nullptr;
  Mailbox mailbox;
  NodeCounters counters;
  std::atomic<const char*> closed_reason{nullptr};
  // Posts that each rank is to be told of: count in the upper half, 64-byte units in the lower.
  std::unique_ptr<std::atomic<std::uint64_t>[]> unreported;

  // For own_thread: the thread sleeps here, and takes tokens itself.
  seam::Word own_word{0};
  std::atomic<std::uint32_t> own_tokens{0};

 private:
  seam::SpinLock running_lock_;  // guards running_
  std::vector<Activity*> running_;
};

}  // namespace slipway::detail
