// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "slipway/base/seam.hpp"

// Repeatable runs: all threads of a test pass one baton, a seed decides who gets it next and every other free choice,
// and time is virtual. The same program under the same seed takes the same steps, so a failing seed is a bug report.
//
// It sees only what goes through the seam. Threads must be seam::Thread; one that blocks elsewhere (a std::mutex that a
// sleeping thread holds, a pipe) stops all, which is reported after a second of real time.
namespace slipway {

struct SeededOptions {
  // Virtual time that one scheduling point takes on average, and that one look at the clock takes.
  seam::Time step = 1'000;
  seam::Time clock_step = 20;
  // One wait in so many returns early for no reason, as the seam allows. 0: none does.
  std::size_t early_return_in = 32;
  // Binds all threads to one core while the run lasts: a switch costs a tenth then.
  bool pin = true;
  // Real time for which a thread may keep the baton before it is reported.
  std::chrono::nanoseconds blocked_after = std::chrono::seconds(1);
  // All threads wait and none has a deadline. Gets each thread's name and stack. When it returns, all waits do too.
  // Default: prints the report and aborts.
  std::function<void(const std::string& report)> on_deadlock = {};
  // A thread has kept the baton for `blocked_after`; called by a thread of the scheduler's own. Default: prints.
  std::function<void(const std::string& report)> on_blocked = {};
};

class SeededScheduler final : public seam::Scheduler {
 public:
  // The calling thread becomes the first of the run, and holds the baton.
  explicit SeededScheduler(std::uint64_t seed, SeededOptions options = {});
  // Every other thread has left; else it says which has not, and aborts.
  ~SeededScheduler() override;

  seam::Time now() override;
  bool wait(seam::Word& word, std::uint32_t expected, seam::Time deadline) override;
  void wake(seam::Word& word, int count) override;
  void pause() override;
  std::size_t choose(std::size_t count) override;
  std::uint64_t announce_thread(const std::string& name) override;
  void enter_thread(std::uint64_t ticket) override;
  void leave_thread() override;

  std::uint64_t seed() const { return seed_; }
  // Equal for equal runs: a digest of all choices made so far.
  std::uint64_t trace() const { return trace_; }
  std::uint64_t switches() const { return switches_.load(std::memory_order_relaxed); }

 private:
  struct Member;
  class Watchdog;

  std::uint64_t random();
  void scheduling_point(Member& self);
  void sleep(Member& self);
  Member& pick(Member& self);
  Member* pick_runnable();
  bool jump_to_next_deadline();
  void report_deadlock(Member& self);
  void hand_to(Member& next);
  void await_baton(Member& self);
  std::string list_of_threads() const;
  Member& self_or_abort(const char* what) const;

  const std::uint64_t seed_;
  const SeededOptions options_;
  std::uint64_t random_state_;
  std::uint64_t trace_ = 0;
  std::vector<std::unique_ptr<Member>> members_;  // in the order of their announcement
  std::vector<std::unique_ptr<Member>> left_;     // kept: the watchdog may still read a name
  std::vector<Member*> candidates_;
  std::atomic<seam::Time> now_;
  std::atomic<std::uint64_t> switches_{0};
  std::atomic<const Member*> holder_{nullptr};
  std::unique_ptr<Watchdog> watchdog_;
};

// Puts a seeded scheduler in charge for a scope; the threads of the scope end inside it.
class SeededRun {
 public:
  explicit SeededRun(std::uint64_t seed, SeededOptions options = {});
  ~SeededRun();
  SeededRun(const SeededRun&) = delete;
  SeededRun& operator=(const SeededRun&) = delete;

  SeededScheduler& scheduler() { return scheduler_; }

 private:
  // Binds the calling thread to the core that it is on, and unbinds it at the end.
  class Pinned;

  std::unique_ptr<Pinned> pinned_;
  SeededScheduler scheduler_;
};

}  // namespace slipway
