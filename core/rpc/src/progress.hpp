// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/call_state.hpp"
#include "slipway/rpc/transport.hpp"
#include "slipway/rpc/waiter.hpp"

namespace slipway::detail {

// Who moves a rank's frames, and how it waits: the progress turn of design section 5.
//
// The turn goes to whoever has nothing better to do: a thread in `wait` (caller-driven), else an idle pool thread
// (`lead`), else the progress thread (`patrol`), which looks once a millisecond whether somebody polls,
// and less often while the leader sleeps at the transport's bell.
class Progress {
 public:
  struct Hooks {
    std::function<void()> after_poll;       // without the turn: what a poll left to do; wakes pool threads
    std::function<bool()> work_for_leader;  // the leader should go and run it
    std::function<void(seam::Time)> tick;   // timers, liveness of the run: at least every millisecond while awake
    std::function<seam::Time()> next_timer;
  };

  Progress(Transport& transport, FrameSink& sink, std::uint32_t spin, Hooks hooks);

  // Moves frames for a short time, if nobody else does. True: the state has its outcome.
  bool wait_briefly(CallState& state, Waiter& waiter, seam::Time deadline);
  // Moves frames or sleeps until the state has its outcome. False: the deadline passed first, and the waiter may be
  // used again for the same wait.
  bool wait(CallState& state, Waiter& waiter, seam::Time deadline);
  // The same for another condition; whoever makes it true calls `waiter.wake()` afterwards.
  template <class Condition>
  bool wait_until(Waiter& waiter, seam::Time deadline, Condition&& condition) {
    const std::function<bool()> check(std::ref(condition));
    return drive(waiter, deadline, check);
  }

  // Sends what is queued, or leaves it to whoever has the turn.
  void flush();

  // An idle pool thread: moves frames until there is work for it or `stop`.
  void lead();
  // The progress thread's whole life.
  void patrol();
  // A timer has become earlier, or something is to be sent.
  void call_leader();
  // There is work for the leader.
  void give_leader_work();
  void stop();

 private:
  bool try_turn() { return !turn_.load(std::memory_order_relaxed) && !turn_.exchange(true, std::memory_order_acquire); }
  // True: a follower was asked to take it.
  bool end_turn() {
    turn_.store(false, std::memory_order_seq_cst);
    return follower_count_.load(std::memory_order_seq_cst) != 0 && pass_baton();
  }
  bool pass_baton();
  void hand_on_baton();
  void wake_patrol();
  bool drive(Waiter& waiter, seam::Time deadline, const std::function<bool()>& done);
  bool drive_with_turn(Waiter& waiter, seam::Time deadline, const std::function<bool()>& done);
  bool try_to_drive();
  void stop_driving();
  void pause_driving();
  int poll_some();
  void sleep_as_follower(Waiter& waiter, seam::Time deadline, const std::function<bool()>& done);
  int poll_once();
  void poll_until(const std::function<bool()>& leave);
  void sleep_at_bell(const std::function<bool()>& leave);
  bool callers_drove();
  bool pause();
  void park(std::uint32_t ticket, const std::function<bool()>& leave);
  void unpark();

  Transport& transport_;
  FrameSink& sink_;
  const std::uint32_t spin_;
  Hooks hooks_;

  alignas(64) std::atomic<bool> turn_{false};
  alignas(64) std::atomic<std::uint64_t> polls_{0};  // by anybody; tells the patrol that somebody moves frames
  std::atomic<bool> driving_{false};                 // the turn is a waiting caller's; written with the turn
  std::atomic<std::uint32_t> caller_epoch_{0};       // changes with each wait
  std::atomic<std::uint32_t> seen_epoch_{0};         // by the leader
  std::atomic<bool> leading_{false};                 // a pool thread is in lead
  std::atomic<bool> patrolling_{false};              // the progress thread polls itself
  std::atomic<bool> at_bell_{false};                 // somebody sleeps at the transport's bell
  seam::Word park_word_{0};                          // the leader parks here
  std::atomic<int> parked_{0};                       // threads there
  // Rounds of the progress thread for which the leader counts as serving since it last had work: it then parks only
  // while a caller drives, who calls it at the end. Else a request that comes just after a call would wait for the end
  // of the parking time.
  std::atomic<int> serving_{0};
  seam::Word patrol_word_{0};  // the progress thread parks here
  std::atomic<bool> patrol_parked_{false};
  std::atomic<seam::Time> crowded_until_{0};  // a yield took long: others want the rank's cores
  std::atomic<bool> stop_{false};

  std::atomic<std::uint32_t> follower_count_{0};
  seam::SpinLock followers_lock_;  // guards followers_
  std::vector<Waiter*> followers_;
};

}  // namespace slipway::detail
