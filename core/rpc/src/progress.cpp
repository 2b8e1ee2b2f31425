// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace slipway::detail {

namespace {

constexpr seam::Time microsecond = 1'000;
constexpr seam::Time millisecond = 1'000'000;

// Then a waiting caller sleeps and lets the leader move frames.
constexpr seam::Time caller_patience = 200 * microsecond;
// A yield that took so long went to another program that computes. For some time nobody yields then: who sleeps gets
// the core soon when he is woken, who yields only after the other's time slice.
constexpr seam::Time costly_pause = 500 * microsecond;
constexpr seam::Time crowded_time = 20 * millisecond;
constexpr seam::Time leader_patience = 50 * microsecond;  // of empty polls before the leader sleeps at the bell
constexpr seam::Time parking_time = millisecond;          // how long the leader stays aside after callers drove
constexpr seam::Time follower_nap = 2 * millisecond;      // safety net under the baton
constexpr seam::Time longest_sleep = 100 * millisecond;   // safety net under the doorbell and under the parked patrol
constexpr std::uint32_t polls_a_turn = 8;                 // of the leader while nothing comes
constexpr int serving_time = 8;                           // in rounds of the progress thread
constexpr int quiet_patrols = 5;                          // before the progress thread sleeps for good

}  // namespace

Progress::Progress(Transport& transport, FrameSink& sink, std::uint32_t spin, Hooks hooks)
    : transport_(transport), sink_(sink), spin_(spin), hooks_(std::move(hooks)) {}

// Every end of a turn looks for a thread that went to sleep because the turn was taken: the baton. Not for one whose
// wait has become long: the leader is soon back from the handler that it runs, or else the progress thread takes over.
bool Progress::pass_baton() {
  const std::lock_guard guard(followers_lock_);
  return std::any_of(followers_.begin(), followers_.end(),
                     [](Waiter* follower) { return !follower->is_patient() && follower->call_up(); });
}

void Progress::flush() {
  while (transport_.has_queued() && try_turn()) {
    transport_.flush();
    end_turn();
  }
}

int Progress::poll_once() {
  polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return transport_.poll(sink_);
}

// Until something comes, a few times at most, and only while nobody else wants the turn.
int Progress::poll_some() {
  int events = 0;
  for (std::uint32_t polls = 0; polls < polls_a_turn && events == 0; ++polls) {
    events = poll_once();
    if (follower_count_.load(std::memory_order_relaxed) > 0) break;
    if (caller_epoch_.load(std::memory_order_relaxed) != seen_epoch_.load(std::memory_order_relaxed)) break;
  }
  return events;
}

bool Progress::wait_briefly(CallState& state, Waiter& waiter, seam::Time deadline) {
  if (state.done()) return true;
  const auto done = [&state] { return state.done(); };
  const std::function<bool()> check(std::ref(done));
  if (try_to_drive()) drive_with_turn(waiter, deadline, check);
  return state.done();
}

bool Progress::wait(CallState& state, Waiter& waiter, seam::Time deadline) {
  const auto done = [&state] { return state.done(); };
  const std::function<bool()> check(std::ref(done));
  if (!state.attach(waiter)) return true;
  if (!drive(waiter, deadline, check) && state.detach(waiter)) return false;
  while (!waiter.is_told()) seam::pause();  // it is in the list that is being told
  return true;
}

bool Progress::drive(Waiter& waiter, seam::Time deadline, const std::function<bool()>& done) {
  while (!done()) {
    if (deadline != seam::never && seam::now() >= deadline) {
      hand_on_baton();
      return false;
    }
    const bool others_will = waiter.is_patient() && leading_.load(std::memory_order_acquire);
    if (!others_will && try_to_drive()) drive_with_turn(waiter, deadline, done);
    if (done()) break;
    sleep_as_follower(waiter, deadline, done);
  }
  hand_on_baton();
  return true;
}

// Whoever leaves may have been called to a turn that he no longer needs.
void Progress::hand_on_baton() {
  if (follower_count_.load(std::memory_order_seq_cst) != 0 && !turn_.load(std::memory_order_seq_cst)) pass_baton();
}

// No atomic addition: where two callers come at once it matters only that the number changes.
bool Progress::try_to_drive() {
  caller_epoch_.store(caller_epoch_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (!try_turn()) return false;
  driving_.store(true, std::memory_order_relaxed);
  return true;
}

void Progress::stop_driving() {
  driving_.store(false, std::memory_order_relaxed);
  const bool passed_on = end_turn();
  if (transport_.has_queued()) [[unlikely]]
    flush();  // by a thread that found the turn taken
  if (serving_.load(std::memory_order_relaxed) > 0 && !passed_on) unpark();
}

// For a moment, so without the baton.
void Progress::pause_driving() {
  driving_.store(false, std::memory_order_relaxed);
  turn_.store(false, std::memory_order_release);
}

// Ends the turn in any case. True: done. False: it is time to sleep, or somebody else has the turn now.
bool Progress::drive_with_turn(Waiter& waiter, seam::Time deadline, const std::function<bool()>& done) {
  std::uint32_t polls = 0;
  std::uint32_t misses = 0;
  seam::Time idle_since = 0;
  const std::uint32_t polls_without_clock = spin_ ? spin_ : 1;
  while (true) {
    const int events = poll_once();
    const bool finished = done();
    if (finished) stop_driving();
    if (events > 0) {
      misses = 0;
      idle_since = 0;
      if (!finished) pause_driving();
      hooks_.after_poll();
      if (finished) return true;
      if (!try_to_drive()) return done();
    }
    if (finished) return true;
    waiter.note_begin();  // after the first poll, which sends what is waited for
    ++misses;
    if (++polls < polls_without_clock || (events == 0 && misses < polls_without_clock)) continue;
    const seam::Time now = seam::now();
    if (idle_since == 0) idle_since = now;
    if (now - waiter.began() > caller_patience) waiter.become_patient();
    const bool others_will = waiter.is_patient() && leading_.load(std::memory_order_relaxed);
    if (others_will || now - idle_since > caller_patience || now >= deadline) {
      stop_driving();
      return done();
    }
    if (misses < polls_without_clock) continue;
    hooks_.tick(now);
    if (!pause()) waiter.become_patient();
  }
}

// Gives the core away for a moment, or says that it is not worth it.
bool Progress::pause() {
  const seam::Time before = seam::now();
  if (before < crowded_until_.load(std::memory_order_relaxed)) return false;
  seam::pause();
  const seam::Time after = seam::now();
  if (after - before < costly_pause) return true;
  crowded_until_.store(after + crowded_time, std::memory_order_relaxed);
  return false;
}

void Progress::sleep_as_follower(Waiter& waiter, seam::Time deadline, const std::function<bool()>& done) {
  waiter.note_begin();
  followers_lock_.lock();
  followers_.push_back(&waiter);
  follower_count_.store(static_cast<std::uint32_t>(followers_.size()), std::memory_order_seq_cst);
  followers_lock_.unlock();
  if (!driving_.load(std::memory_order_seq_cst)) call_leader();  // a caller that drives will pass the baton
  // Looked at after entering the list: whoever ends its turn from now on sees this follower.
  if (!done()) {
    const bool led = waiter.is_patient() && leading_.load(std::memory_order_acquire);
    waiter.sleep(led ? deadline : std::min(deadline, seam::now() + follower_nap));
  }
  followers_lock_.lock();
  followers_.erase(std::find(followers_.begin(), followers_.end(), &waiter));
  follower_count_.store(static_cast<std::uint32_t>(followers_.size()), std::memory_order_seq_cst);
  followers_lock_.unlock();
}

bool Progress::callers_drove() {
  if (serving_.load(std::memory_order_relaxed) > 0) return driving_.load(std::memory_order_relaxed);
  const std::uint32_t epoch = caller_epoch_.load(std::memory_order_relaxed);
  if (seen_epoch_.load(std::memory_order_relaxed) == epoch) return driving_.load(std::memory_order_relaxed);
  seen_epoch_.store(epoch, std::memory_order_relaxed);
  return true;
}

// `ticket`: of park_word_, from before the look that gave the reason to park.
void Progress::park(std::uint32_t ticket, const std::function<bool()>& leave) {
  parked_.fetch_add(1, std::memory_order_seq_cst);
  if (!leave()) seam::wait(park_word_, ticket, seam::now() + parking_time);
  parked_.fetch_sub(1, std::memory_order_relaxed);
}

void Progress::lead() {
  if (leading_.exchange(true, std::memory_order_acq_rel)) return;
  if (patrolling_.load(std::memory_order_acquire)) transport_.ring_own_bell();
  const std::function<bool()> leave = [this] {
    return hooks_.work_for_leader() || stop_.load(std::memory_order_relaxed);
  };
  poll_until(leave);
  leading_.store(false, std::memory_order_seq_cst);
  wake_patrol();  // the leader goes to run a handler, perhaps a long one
}

void Progress::wake_patrol() {
  if (!patrol_parked_.load(std::memory_order_seq_cst)) return;
  patrol_word_.fetch_add(1, std::memory_order_acq_rel);
  seam::wake(patrol_word_);
}

void Progress::poll_until(const std::function<bool()>& leave) {
  std::uint32_t misses = 0;
  seam::Time idle_since = 0;
  while (!leave()) {
    const std::uint32_t ticket = park_word_.load(std::memory_order_acquire);
    if (callers_drove()) {
      park(ticket, leave);
      hooks_.tick(seam::now());
      continue;
    }
    if (!try_turn()) {
      seam::pause();
      continue;
    }
    const int events = poll_some();
    end_turn();
    if (events > 0) {
      hooks_.after_poll();
      misses = 0;
      idle_since = 0;
      continue;
    }
    if ((misses += polls_a_turn) < spin_) continue;
    const seam::Time now = seam::now();
    hooks_.tick(now);
    if (idle_since == 0) idle_since = now;
    if (now - idle_since < leader_patience && pause()) continue;
    sleep_at_bell(leave);
    misses = spin_;  // after a mere timeout: one look at everything, and back to sleep
  }
}

void Progress::sleep_at_bell(const std::function<bool()>& leave) {
  const std::uint32_t park_ticket = park_word_.load(std::memory_order_acquire);
  if (at_bell_.exchange(true, std::memory_order_acq_rel)) {
    park(park_ticket, leave);
    return;
  }
  const std::uint32_t ticket = transport_.arm_bell();
  bool nothing = !leave();
  if (nothing && try_turn()) {
    nothing = poll_once() == 0;
    end_turn();
    if (!nothing) hooks_.after_poll();
  }
  if (nothing && !leave()) {
    transport_.wait_bell(ticket, std::min(hooks_.next_timer(), seam::now() + longest_sleep));
  }
  transport_.disarm_bell();
  at_bell_.store(false, std::memory_order_release);
}

// Whoever calls for the leader does not drive, and so what callers did before is no reason to park again.
void Progress::unpark() {
  seen_epoch_.store(caller_epoch_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  park_word_.fetch_add(1, std::memory_order_seq_cst);
  if (parked_.load(std::memory_order_seq_cst) > 0) seam::wake_all(park_word_);
}

void Progress::give_leader_work() {
  serving_.store(serving_time, std::memory_order_relaxed);
  call_leader();
}

void Progress::call_leader() {
  unpark();
  if (at_bell_.load(std::memory_order_seq_cst)) transport_.ring_own_bell();
  if (!leading_.load(std::memory_order_acquire)) wake_patrol();
}

void Progress::patrol() {
  std::uint64_t seen = polls_.load(std::memory_order_relaxed);
  int quiet = 0;
  while (!stop_.load(std::memory_order_acquire)) {
    const bool leader_sleeps = leading_.load(std::memory_order_acquire) && at_bell_.load(std::memory_order_acquire);
    quiet = leader_sleeps ? quiet + 1 : 0;
    const std::uint32_t ticket = patrol_word_.load(std::memory_order_acquire);
    if (quiet >= quiet_patrols) {
      patrol_parked_.store(true, std::memory_order_seq_cst);
      if (!leading_.load(std::memory_order_seq_cst)) quiet = 0;  // it has just left, and may not have seen who parks
    }
    seam::wait(patrol_word_, ticket, seam::now() + (quiet >= quiet_patrols ? longest_sleep : parking_time));
    patrol_parked_.store(false, std::memory_order_relaxed);
    hooks_.tick(seam::now());
    if (const int serving = serving_.load(std::memory_order_relaxed); serving > 0) {
      serving_.store(serving - 1, std::memory_order_relaxed);
    }
    const std::uint64_t polls = polls_.load(std::memory_order_relaxed);
    if (polls != seen || leading_.load(std::memory_order_acquire) || driving_.load(std::memory_order_relaxed)) {
      seen = polls;
      continue;
    }
    patrolling_.store(true, std::memory_order_release);
    poll_until([this] { return leading_.load(std::memory_order_relaxed) || stop_.load(std::memory_order_relaxed); });
    patrolling_.store(false, std::memory_order_release);
    seen = polls_.load(std::memory_order_relaxed);
  }
}

void Progress::stop() {
  stop_.store(true, std::memory_order_release);
  call_leader();
  patrol_word_.fetch_add(1, std::memory_order_acq_rel);
  seam::wake_all(patrol_word_);
  transport_.ring_own_bell();
}

}  // namespace slipway::detail
