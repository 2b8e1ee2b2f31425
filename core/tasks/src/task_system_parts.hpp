// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster_scheduler.hpp"
#include "event_log.hpp"
#include "gang_scheduler.hpp"
#include "gangs.hpp"
#include "guests.hpp"
#include "losses.hpp"
#include "mail.hpp"
#include "object_table.hpp"
#include "placement.hpp"
#include "ready_queue.hpp"
#include "resource_ledger.hpp"
#include "router.hpp"
#include "shipping.hpp"
#include "slipway/tasks/task_node.hpp"
#include "slipway/tasks/task_system.hpp"
#include "streams.hpp"
#include "submission_limit.hpp"
#include "system_message.hpp"
#include "wait_journal.hpp"
#include "wide_tasks.hpp"

namespace slipway::detail {

// What a TaskSystem is made of, out of the public header.
//
// A runner is a piece of work for the pool: it runs tasks. At most one waits in the pool's queue at a time; when a
// thread takes it up and there is more, the thread sends the next one ahead. So as many threads run tasks as there are
// cores and tasks, and one that blocks is replaced like any other. A task of many cores waits in `wide` until they are
// free; runners end meanwhile, so that its turn comes.
struct TaskSystemParts {
  TaskSystemParts(TaskSystem& owner, const TaskSettings& settings, NodeId first_node, std::vector<RankCapacity> ranks);

  Endpoint& endpoint() const { return system.endpoint(); }
  NodeId tasks_node(RankId rank) const { return NodeId(first_node.value() + 3 * rank.value()); }
  NodeId desk(RankId rank) const { return NodeId(first_node.value() + 3 * rank.value() + 1); }
  NodeId values_node(RankId rank) const { return NodeId(first_node.value() + 3 * rank.value() + 2); }

  void call_runner();
  void run_tasks();
  void run_task(TaskBase& task);
  // Once there are as many cores as it needs; then this thread goes on with others.
  void run_when_free(TaskBase& task, std::int32_t cores);

  // Of tasks that ask for more than a core. Throws UsageError where no rank has it.
  void check_possible(const TaskAsks& asks) const;
  // All other things that it needs are there; a reference is taken over.
  void find_place(TaskBase& task);
  // It is to run on this rank, once it has what it asks for; a reference is taken over.
  void give_resources(TaskBase& task);
  // It has ended, or was dropped while it waited for them: who is next?
  void take_resources_back(TaskBase& task);
  // Nothing begins any more.
  void drop_waiting();
  // What may go elsewhere, goes.
  void share_tasks(Shipping::By by);
  // A thread of the pool looks for tasks that may go elsewhere.
  void call_looker();

  // One way, to the desk of that rank, also of the own one.
  template <auto Method, class... Args>
  void tell_desk(RankId to, const Args&... args) {
    if (to == endpoint().rank()) {
      (node.*Method)(args...);
    } else {
      tell<Method>(endpoint(), desk(to), args...);
    }
  }
  // What the cluster scheduler has decided.
  void tell_leases(const std::vector<ClusterScheduler::Message>& messages);
  // What the scheduler of gangs has decided.
  void tell_gangs(const std::vector<GangScheduler::Placed>& placed);
  void make_ready(TaskBase& task);

  TaskSystem& system;
  const NodeId first_node;
  const std::uint64_t stays_from;  // see TaskSettings
  Losses losses;
  EventLog events;
  WaitJournal waits;
  ReadyQueue ready;
  SubmissionLimit submission_limit;
  WideTasks wide;
  ObjectTable objects;
  const std::vector<RankCapacity> capacities;  // by rank
  Bandwidth bandwidth;
  Shipping shipping;
  Router router;
  ResourceLedger ledger;
  ClusterScheduler cluster;      // used on cluster_rank only
  GangScheduler gang_scheduler;  // as well
  Gangs gangs;
  TaskNode node;
  std::atomic<std::uint64_t> values_given{0};  // to other ranks
  std::atomic<bool> runner_called{false};
  std::atomic<bool> looker_called{false};
  std::atomic<bool> closed{false};
  std::string closed_reason;      // set before closed
  std::atomic<bool> over{false};  // the endpoint does not run any more

  Guests guests;
  Streams streams;
  Mail mail;
};

}  // namespace slipway::detail
