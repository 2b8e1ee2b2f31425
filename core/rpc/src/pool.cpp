// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "progress.hpp"
#include "slipway/observe/last_words.hpp"

namespace slipway::detail {

namespace {

thread_local bool is_pool_thread = false;
thread_local constinit bool is_replaced = false;     // by another thread, since what runs keeps no core busy
thread_local constinit BusyCores busy;               // of this thread while it runs something and does not wait
thread_local constinit const Pool* leads = nullptr;  // this thread is in Progress::lead for it
constexpr seam::Time idle_check = 1'000'000'000;     // safety net under idle_word_

}  // namespace

bool Pool::on_pool_thread() { return is_pool_thread; }

Pool::Pool(Setup setup, Progress& progress) : setup_(std::move(setup)), progress_(progress) {}

Pool::~Pool() {
  stop();
  while (Runnable* work = queue_.pop()) delete work;
  while (Runnable* work = beside_.pop()) delete work;
  for (Runnable* const work : awaiting_) delete work;
}

void Pool::start() {
  for (std::uint32_t index = 0; index < setup_.cpus; ++index) add_thread();
}

void Pool::stop() {
  if (stop_.exchange(true)) return;
  idle_word_.fetch_add(1, std::memory_order_acq_rel);
  seam::wake_all(idle_word_);
  progress_.call_leader();
  std::vector<seam::Thread> threads;
  threads_lock_.lock();
  threads.swap(threads_);
  threads_lock_.unlock();
  for (auto& thread : threads) thread.join();
}

void Pool::add_thread() {
  const std::uint32_t number = live_.fetch_add(1, std::memory_order_acq_rel);
  seam::Thread thread(setup_.name + "." + std::to_string(number), [this] { run_thread(); });
  threads_lock_.lock();
  threads_.push_back(std::move(thread));
  threads_lock_.unlock();
}

void Pool::push_quietly(Runnable* work) {
  if (leads == this && !leaders_own_) {
    leaders_own_ = work;
  } else {
    queue_.push(work);
  }
}

void Pool::Queue::push(Runnable* work) {
  work->next = nullptr;
  const std::lock_guard guard(lock_);
  (tail_ ? tail_->next : head_) = work;
  tail_ = work;
  size_.fetch_add(1, std::memory_order_seq_cst);
}

Runnable* Pool::Queue::pop() {
  if (size_.load(std::memory_order_acquire) == 0) return nullptr;
  const std::lock_guard guard(lock_);
  Runnable* const work = head_;
  if (!work) return nullptr;
  head_ = work->next;
  if (!head_) tail_ = nullptr;
  size_.fetch_sub(1, std::memory_order_relaxed);
  return work;
}

void Pool::push(Runnable* work) {
  push_quietly(work);
  wake();
}

void Pool::push_beside(Runnable* work) {
  beside_.push(work);
  if (leads != this) wake_beside();  // else it will look itself
}

void Pool::wake_beside() {
  if (leader_.load(std::memory_order_seq_cst)) return progress_.give_leader_work();
  if (wake_sleeper()) return;
  const std::uint32_t live = live_.load(std::memory_order_acquire);
  const std::uint32_t most = without_core() + setup_.cpus + 1;
  if (live < most && !stop_.load(std::memory_order_acquire)) add_thread();
}

bool Pool::wake_sleeper() {
  if (sleeping_.load(std::memory_order_seq_cst) == 0) return false;
  idle_word_.fetch_add(1, std::memory_order_acq_rel);
  seam::wake(idle_word_);
  return true;
}

void Pool::wake() {
  const std::uint32_t waiting = queue_.size();
  if (waiting == 0) return;
  const bool busy_leader = leads == this && leaders_own_;
  if (leads == this) {
    if (waiting == 1 && !busy_leader) return;  // it will look itself
  } else if (leader_.load(std::memory_order_seq_cst)) {
    progress_.give_leader_work();  // costs nothing while it polls
    if (waiting == 1) return;
  }
  if (running_.load(std::memory_order_seq_cst) + (busy_leader ? 1 : 0) >= setup_.cpus) return;
  if (wake_sleeper()) return;
  const std::uint32_t live = live_.load(std::memory_order_acquire);
  const std::uint32_t blocked = std::min(without_core(), setup_.max_blocked);
  if (live < blocked + setup_.cpus && !stop_.load(std::memory_order_acquire)) add_thread();
}

std::uint32_t Pool::without_core() const {
  return blocked_.load(std::memory_order_seq_cst) + replaced_.load(std::memory_order_seq_cst);
}

bool Pool::begin_blocking() {
  if (blocked_.fetch_add(1, std::memory_order_seq_cst) >= setup_.max_blocked) {
    blocked_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  stop_running();
  wake_replacement();
  return true;
}

void Pool::block_again() {
  blocked_.fetch_add(1, std::memory_order_seq_cst);
  stop_running();
  wake_replacement();
}

void Pool::wake_replacement() {
  wake();
  if (beside_.has_work()) wake_beside();
}

void Pool::start_running() {
  running_.fetch_add(static_cast<std::uint32_t>(busy.all), std::memory_order_seq_cst);
  if (busy.of_tasks != 0) task_cores_.fetch_add(busy.of_tasks, std::memory_order_seq_cst);
}

void Pool::stop_running() {
  running_.fetch_sub(static_cast<std::uint32_t>(busy.all), std::memory_order_seq_cst);
  give_task_cores(busy.of_tasks);
}

void Pool::end_blocking() {
  start_running();
  blocked_.fetch_sub(1, std::memory_order_relaxed);
}

BusyCores Pool::set_cores(BusyCores cores) {
  const BusyCores before = std::exchange(busy, cores);
  if (const bool replace = cores.all == 0; replace != std::exchange(is_replaced, replace)) {
    replace ? replaced_.fetch_add(1, std::memory_order_seq_cst) : replaced_.fetch_sub(1, std::memory_order_seq_cst);
  }
  running_.fetch_add(static_cast<std::uint32_t>(cores.all - before.all), std::memory_order_seq_cst);
  give_task_cores(before.of_tasks - cores.of_tasks);
  if (cores.all < before.all) wake();
  return before;
}

bool Pool::take_cores(std::int32_t cores) {
  if (cores_are_awaited()) return false;
  cores = std::min(cores, static_cast<std::int32_t>(setup_.cpus));
  std::int32_t taken = task_cores_.load(std::memory_order_relaxed);
  do {
    if (taken - busy.of_tasks + cores > static_cast<std::int32_t>(setup_.cpus)) return false;
  } while (!task_cores_.compare_exchange_weak(taken, taken - busy.of_tasks + cores, std::memory_order_seq_cst));
  busy.of_tasks = cores;
  return true;
}

void Pool::give_task_cores(std::int32_t cores) {
  if (cores == 0) return;
  task_cores_.fetch_sub(cores, std::memory_order_seq_cst);
  if (awaiting_count_.load(std::memory_order_seq_cst) != 0) start_awaiting();
}

void Pool::push_when_free(Runnable* work, std::int32_t cores) {
  work->cores = std::min(cores, static_cast<std::int32_t>(setup_.cpus));
  awaiting_lock_.lock();
  awaiting_.push_back(work);
  awaiting_count_.fetch_add(1, std::memory_order_seq_cst);
  awaiting_lock_.unlock();
  start_awaiting();  // some may have been given back meanwhile
}

void Pool::start_awaiting() {
  while (Runnable* const work = next_awaiting()) push(work);
}

// It has its cores. nullptr: nobody waits, or too few are free for the first.
Runnable* Pool::next_awaiting() {
  const std::lock_guard guard(awaiting_lock_);
  if (awaiting_.empty()) return nullptr;
  Runnable* const work = awaiting_.front();
  if (!work->is_wanted()) work->cores = 0;
  std::int32_t taken = task_cores_.load(std::memory_order_seq_cst);
  do {
    if (taken + work->cores > static_cast<std::int32_t>(setup_.cpus)) return nullptr;
  } while (!task_cores_.compare_exchange_weak(taken, taken + work->cores, std::memory_order_seq_cst));
  awaiting_.pop_front();
  awaiting_count_.fetch_sub(1, std::memory_order_relaxed);
  return work;
}

// More threads than cpus are not blocked: some replacements are no longer needed, and sleep.
bool Pool::surplus() const { return running_.load(std::memory_order_relaxed) >= setup_.cpus; }

void Pool::run_thread() {
  is_pool_thread = true;
  const last_words::AlternateStack stack;
  if (setup_.thread_begins) setup_.thread_begins(setup_.context);
  while (!stop_.load(std::memory_order_acquire)) {
    if (Runnable* const work = beside_.pop()) {
      wake_replacement();  // who pushed meanwhile relied on the leader, perhaps
      busy = {.all = 0};
      work->execute();
      continue;
    }
    if (surplus()) {
      sleep([this] { return !surplus() || beside_.has_work(); });
      continue;
    }
    running_.fetch_add(1, std::memory_order_seq_cst);
    if (Runnable* const work = queue_.pop()) {
      wake();  // for what is left
      run(work);
      continue;
    }
    running_.fetch_sub(1, std::memory_order_seq_cst);
    if (!leader_.exchange(true, std::memory_order_seq_cst)) {
      if (Runnable* const own = lead()) run(own);
      continue;
    }
    sleep([this] { return has_work() || beside_.has_work() || !leader_.load(std::memory_order_seq_cst); });
  }
}

// It counts as running already.
void Pool::run(Runnable* work) {
  busy = {.of_tasks = work->cores};
  work->execute();
  stop_running();
}

// As the leader, until there is work. What this thread is to run at once, without the queue; it counts as running.
Runnable* Pool::lead() {
  leads = this;
  if (!leader_has_work()) progress_.lead();
  leads = nullptr;
  Runnable* own = std::exchange(leaders_own_, nullptr);
  if (own && (surplus() || stop_.load(std::memory_order_acquire))) queue_.push(std::exchange(own, nullptr));
  if (own) running_.fetch_add(1, std::memory_order_seq_cst);
  leader_.store(false, std::memory_order_seq_cst);
  if (own) wake();  // who pushed meanwhile relied on the leader
  if (own && beside_.has_work()) wake_beside();
  return own;
}

template <class Reason>
void Pool::sleep(const Reason& stay_awake) {
  const std::uint32_t ticket = idle_word_.load(std::memory_order_acquire);
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
  if (!stay_awake() && !stop_.load(std::memory_order_acquire)) {
    seam::wait(idle_word_, ticket, seam::now() + idle_check);
  }
  sleeping_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace slipway::detail
