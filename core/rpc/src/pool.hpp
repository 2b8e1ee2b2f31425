// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/runnable.hpp"

namespace slipway::detail {

class Progress;

// The rank's threads for handlers, continuations and tasks. `cpus` of them run at a time; one that blocks is replaced,
// so that any number of handlers may wait (up to the limit of stacks). One that is idle moves frames (Progress::lead).
class Pool {
 public:
  struct Setup {
    std::uint32_t cpus = 1;
    std::uint32_t max_blocked = 4096;
    std::string name;
    void (*thread_begins)(void*) = nullptr;  // called first on each thread, with `context`
    void* context = nullptr;
  };
  Pool(Setup setup, Progress& progress);
  ~Pool();

  void start();
  // Work already pushed is not run any more; threads that are in user code are waited for.
  void stop();

  // Any thread. Wakes a thread if none would look soon.
  void push(Runnable* work);
  // As push, for a thread that polls and calls `wake` afterwards.
  void push_quietly(Runnable* work);
  // Short work of the runtime, for which others wait: it does not wait until a core is free, however long tasks and
  // handlers compute; if need be on one thread more. Any thread.
  void push_beside(Runnable* work);
  // Somebody should run what was pushed, unless this thread is the leader and will.
  void wake();
  bool has_work() const { return queue_.has_work(); }
  // What the leader has itself pushed counts too. On the leader's thread only.
  bool leader_has_work() const { return leaders_own_ != nullptr || has_work() || beside_.has_work(); }

  // This pool thread's stack is about to wait. False: one more would pass the limit.
  [[nodiscard]] bool begin_blocking();
  void end_blocking();
  // After end_blocking on the same stack: the limit has been asked already.
  void block_again();

  // Cores of tasks. Handlers take a thread as soon as there is one; tasks begin when cores are free that no other task
  // keeps busy, in the order in which they came for them. A task that waits gives its cores away and has them again
  // when it goes on, whatever else runs by then.

  // This pool thread goes on with so many, though fewer be free; until its work ends. Returns what it had before.
  BusyCores set_cores(BusyCores cores);
  // This thread's tasks have `cores` now. False, and nothing is changed: too few are free, or others came before.
  [[nodiscard]] bool take_cores(std::int32_t cores);
  // Any thread. As push, once the cores are there; it runs with them.
  void push_when_free(Runnable* work, std::int32_t cores);
  // Somebody waits for cores, or more are busy than there are: a thread that could run another task should not.
  bool is_short_of_cores() const {
    return cores_are_awaited() || task_cores_.load(std::memory_order_relaxed) > static_cast<std::int32_t>(setup_.cpus);
  }
  // Some of the work that awaits cores may not be wanted any more, or its cores have become free.
  void start_awaiting();
  std::uint32_t blocked() const { return blocked_.load(std::memory_order_relaxed); }

  static bool on_pool_thread();

 private:
  // In the order in which they came.
  class Queue {
   public:
    void push(Runnable* work);
    Runnable* pop();  // nullptr: there is none
    bool has_work() const { return size() > 0; }
    std::uint32_t size() const { return size_.load(std::memory_order_seq_cst); }

   private:
    seam::SpinLock lock_;  // guards head_ and tail_
    Runnable* head_ = nullptr;
    Runnable* tail_ = nullptr;
    std::atomic<std::uint32_t> size_{0};
  };

  void run_thread();
  Runnable* lead();
  void wake_beside();
  void wake_replacement();
  bool wake_sleeper();
  void add_thread();
  void run(Runnable* work);
  void start_running();
  void stop_running();
  void give_task_cores(std::int32_t cores);
  std::uint32_t without_core() const;
  bool cores_are_awaited() const { return awaiting_count_.load(std::memory_order_relaxed) != 0; }
  Runnable* next_awaiting();
  bool surplus() const;
  template <class Reason>
  void sleep(const Reason& stay_awake);

  const Setup setup_;
  Progress& progress_;
  Queue queue_;
  Queue beside_;
  std::atomic<std::uint32_t> live_{0};       // threads
  std::atomic<std::uint32_t> blocked_{0};    // of these, waiting in user code
  std::atomic<std::uint32_t> replaced_{0};   // of these, running what keeps no core busy
  std::atomic<std::uint32_t> running_{0};    // of these, in user code and not waiting
  std::atomic<std::uint32_t> sleeping_{0};   // of these, at idle_word_
  std::atomic<std::int32_t> task_cores_{0};  // of these, or taken for what awaits a thread
  std::atomic<std::uint32_t> awaiting_count_{0};
  seam::SpinLock awaiting_lock_;     // guards awaiting_; awaiting_count_ is written with it
  std::deque<Runnable*> awaiting_;   // cores
  std::atomic<bool> leader_{false};  // one of these is in Progress::lead
  Runnable* leaders_own_ = nullptr;  // what it has pushed first, and will run itself; the leader's thread only
  std::atomic<bool> stop_{false};
  seam::Word idle_word_{0};
  seam::SpinLock threads_lock_;  // guards threads_
  std::vector<seam::Thread> threads_;
};

}  // namespace slipway::detail
