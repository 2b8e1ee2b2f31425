// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ready_queue.hpp"
#include "slipway/base/ids.hpp"
#include "slipway/rpc/mailbox.hpp"
#include "slipway/tasks/task.hpp"

namespace slipway::detail {

struct TaskSystemParts;

// The tasks of this rank that other ranks run: which may go where, and which are away. Any thread.
//
// A rank with more tasks than it can run says so to the cluster scheduler, once, and gets leases: ranks that have time.
// On each it keeps a few tasks, so many that the other rank does not run out of them while the next is on its way. When
// it has none left it gives all leases back, by one message.
class Shipping {
 public:
  // Who looks whether there is something to send. A thread of user code may run user code, to encode, but not wait for
  // room; the desk may do neither; the looker, a thread of the pool for this, both.
  enum class By : std::uint8_t { user_thread, desk, looker };

  explicit Shipping(TaskSystemParts& parts);

  // After tasks became ready, or some were run. Cheap where there is nothing to do.
  void send_or_offer(By by);
  // No task is ready on this rank.
  void ran_empty();
  // Now and then, on one thread: tasks that wait although the cores end nothing are offered, however few they are.
  void look_around();
  // A task took so long here. True: tasks take so long that there is time to look around after each.
  bool note_length(seam::Time time);
  bool alone() const { return leases_.size() == 1; }

  // To that rank. This thread has taken the task, with a reference. False: not now; it has the task still, and the
  // looker has been called.
  [[nodiscard]] bool send(TaskBase& task, RankId to, By by);
  // The same whether this rank has a lease of that one or not.
  [[nodiscard]] bool send_without_lease(TaskBase& task, RankId to);
  // About how long a task waits there before it begins, as far as this rank knows.
  seam::Time wait_at(RankId rank);
  void lease(RankId rank, bool may_use, std::uint32_t period, std::uint64_t version);
  // Once for each task that was sent. `ran_for`, `slots`: 0: not known.
  void came_back(const TaskBase& task, RankId from, seam::Time ran_for, std::uint32_t slots);
  // Of those that are away, this one, and those of its children, are not wanted any more.
  void tell_cancelled(const TaskBase& task, bool children);

 private:
  struct Lease {
    bool held = false;
    std::uint32_t slots = 1;
    std::uint32_t away = 0;  // tasks that are there
    seam::Time mean = 0;     // of the time that tasks take there; 0: not known
    std::uint64_t version = 0;

    std::uint32_t window() const;
    bool has_room() const { return held && away < window(); }
  };
  // Looks, as the desk, on the thread that receives.
  struct DeskEntry final : Entry {
    explicit DeskEntry(Shipping& shipping_of) : shipping(shipping_of) {}
    Step run(NodeSlot& node) override;
    void drop(const char* reason) override;
    bool holds(RankId, std::uint64_t) const override { return false; }
    Shipping& shipping;
    std::atomic<bool> queued{false};
  };

  bool has_more_than_it_runs() const;
  bool worth_offering() const;
  void offer();
  void send_what_fits(By by);
  bool send_one(By by);
  std::optional<RankId> take_room();
  void give_room(RankId rank);
  void keep_cancelled(TaskBase& task, RankId to);
  void call_desk();

  TaskSystemParts& parts_;
  const seam::Time least_worth_sending_;
  std::atomic<seam::Time> mean_;         // of the time that a task takes here
  std::atomic<bool> offering_{false};    // written with lock_
  std::atomic<bool> has_leases_{false};  // written with lock_
  std::atomic<bool> sending_{false};     // one thread at a time sends what fits
  std::atomic<bool> again_{false};       // another one found it at that
  std::atomic<std::uint64_t> sent_{0};   // tasks taken from the ready queue to be sent
  std::atomic<bool> stuck_{false};       // no thread of this rank has taken one for long, though there are some
  std::uint64_t taken_before_ = 0;       // of look_around
  seam::Time next_look_ = 0;             // as well
  DeskEntry desk_entry_;

  seam::SpinLock lock_;        // guards what follows
  std::uint32_t period_ = 0;   // of offers
  std::vector<Lease> leases_;  // by rank
  struct Away {
    TaskBase* task = nullptr;
    RankId rank;
    bool told = false;  // that nobody wants it any more
  };
  std::unordered_map<std::uint64_t, Away> away_;  // by id
};

}  // namespace slipway::detail
