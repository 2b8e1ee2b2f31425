// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include <utility>

#include "progress.hpp"
#include "slipway/observe/last_words.hpp"

namespace slipway::detail {

namespace {

thread_local bool is_pool_thread = false;
thread_local int more_cores = 0;                     // than one, that this thread stands for while it does not wait
thread_local constinit const Pool* leads = nullptr;  // this thread is in Progress::lead for it
constexpr seam::Time idle_check = 1'000'000'000;     // safety net under idle_word_

}  // namespace

bool Pool::on_pool_thread() { return is_pool_thread; }

Pool::Pool(Setup setup, Progress& progress) : setup_(std::move(setup)), progress_(progress) {}

Pool::~Pool() {
  stop();
  while (Runnable* work = pop()) delete work;
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
    enqueue(work);
  }
}

void Pool::enqueue(Runnable* work) {
  work->next = nullptr;
  queue_lock_.lock();
  (tail_ ? tail_->next : head_) = work;
  tail_ = work;
  queued_.fetch_add(1, std::memory_order_seq_cst);
  queue_lock_.unlock();
}

void Pool::push(Runnable* work) {
  push_quietly(work);
  wake();
}

Runnable* Pool::pop() {
  if (queued_.load(std::memory_order_acquire) == 0) return nullptr;
  queue_lock_.lock();
  Runnable* const work = head_;
  if (work) {
    head_ = work->next;
    if (!head_) tail_ = nullptr;
    queued_.fetch_sub(1, std::memory_order_relaxed);
  }
  queue_lock_.unlock();
  return work;
}

void Pool::wake() {
  const std::uint32_t waiting = queued_.load(std::memory_order_seq_cst);
  if (waiting == 0) return;
  const bool busy_leader = leads == this && leaders_own_;
  if (leads == this) {
    if (waiting == 1 && !busy_leader) return;  // it will look itself
  } else if (leader_.load(std::memory_order_seq_cst)) {
    progress_.give_leader_work();  // costs nothing while it polls
    if (waiting == 1) return;
  }
  if (running_.load(std::memory_order_seq_cst) + (busy_leader ? 1 : 0) >= setup_.cpus) return;
  if (sleeping_.load(std::memory_order_seq_cst) > 0) {
    idle_word_.fetch_add(1, std::memory_order_acq_rel);
    seam::wake(idle_word_);
    return;
  }
  const std::uint32_t live = live_.load(std::memory_order_acquire);
  const std::uint32_t blocked = blocked_.load(std::memory_order_seq_cst);
  if (live < blocked + setup_.cpus && !stop_.load(std::memory_order_acquire)) add_thread();
}

bool Pool::begin_blocking() {
  if (blocked_.fetch_add(1, std::memory_order_seq_cst) >= setup_.max_blocked) {
    blocked_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  stop_running();
  return true;
}

void Pool::block_again() {
  blocked_.fetch_add(1, std::memory_order_seq_cst);
  stop_running();
}

void Pool::stop_running() {
  running_.fetch_sub(static_cast<std::uint32_t>(1 + more_cores), std::memory_order_seq_cst);
  wake();
}

void Pool::end_blocking() {
  running_.fetch_add(static_cast<std::uint32_t>(1 + more_cores), std::memory_order_relaxed);
  blocked_.fetch_sub(1, std::memory_order_relaxed);
}

int Pool::set_cores(int more) {
  const int before = std::exchange(more_cores, more);
  running_.fetch_add(static_cast<std::uint32_t>(more - before), std::memory_order_seq_cst);
  if (more < before) wake();
  return before;
}

// More threads than cpus are not blocked: some replacements are no longer needed, and sleep.
bool Pool::surplus() const { return running_.load(std::memory_order_relaxed) >= setup_.cpus; }

void Pool::run_thread() {
  is_pool_thread = true;
  const last_words::AlternateStack stack;
  if (setup_.thread_begins) setup_.thread_begins(setup_.context);
  while (!stop_.load(std::memory_order_acquire)) {
    if (surplus()) {
      sleep([this] { return !surplus(); });
      continue;
    }
    running_.fetch_add(1, std::memory_order_seq_cst);
    Runnable* const work = pop();
    if (work) {
      wake();  // for what is left
      work->execute();
    }
    running_.fetch_sub(1, std::memory_order_seq_cst);
    if (work) continue;
    if (!leader_.exchange(true, std::memory_order_seq_cst)) {
      if (Runnable* const own = lead()) {
        own->execute();
        running_.fetch_sub(1, std::memory_order_seq_cst);
      }
      continue;
    }
    sleep([this] { return has_work() || !leader_.load(std::memory_order_seq_cst); });
  }
}

// As the leader, until there is work. What this thread is to run at once, without the queue; it counts as running.
Runnable* Pool::lead() {
  leads = this;
  if (!has_work()) progress_.lead();
  leads = nullptr;
  Runnable* own = std::exchange(leaders_own_, nullptr);
  if (own && (surplus() || stop_.load(std::memory_order_acquire))) enqueue(std::exchange(own, nullptr));
  if (own) running_.fetch_add(1, std::memory_order_seq_cst);
  leader_.store(false, std::memory_order_seq_cst);
  if (own) wake();  // who pushed meanwhile relied on the leader
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
