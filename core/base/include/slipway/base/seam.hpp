// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>

// The one door through which slipway reads clocks, waits, wakes, starts threads and makes free choices.
//
// In production each function is a predicted branch away from the plain system call. In tests a Scheduler is installed:
// it lets one thread run at a time, chooses who is next, and makes time virtual, so that a run can be repeated.
// A thread changes only inside `wait` and `pause`; hence a lock may be held across every other call, never across these.
namespace slipway::seam {

// Nanoseconds since an arbitrary start, the same for all threads of the process.
using Time = std::int64_t;
inline constexpr Time never = std::numeric_limits<Time>::max();

using Word = std::atomic<std::uint32_t>;

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual Time now() = 0;
  virtual bool wait(Word& word, std::uint32_t expected, Time deadline) = 0;
  virtual void wake(Word& word, int count) = 0;
  virtual void pause() = 0;
  virtual std::size_t choose(std::size_t count) = 0;
  // Called by the parent before the thread exists, then by the new thread first and last.
  virtual std::uint64_t announce_thread(const std::string& name) = 0;
  virtual void enter_thread(std::uint64_t ticket) = 0;
  virtual void leave_thread() = 0;
};

namespace detail {
extern std::atomic<Scheduler*> installed;
Time real_now();
bool real_wait(Word& word, std::uint32_t expected, Time deadline, bool shared);
void real_wake(Word& word, int count, bool shared);
void real_pause();
inline Scheduler* scheduler() { return installed.load(std::memory_order_relaxed); }
}  // namespace detail

// Puts the scheduler in charge until it is replaced; nullptr gives the system back. Only while no other thread runs.
void install(Scheduler* scheduler);
inline bool simulated() { return detail::scheduler() != nullptr; }

inline Time now() {
  if (auto* scheduler = detail::scheduler()) [[unlikely]] return scheduler->now();
  return detail::real_now();
}

inline Time after(std::chrono::nanoseconds duration) {
  const Time start = now();
  return duration.count() >= never - start ? never : start + duration.count();
}

// The same for a limit of which 0 means none.
inline Time limit_after(std::chrono::nanoseconds limit) { return limit.count() == 0 ? never : after(limit); }

// Sleeps while `word` holds `expected`, at most until `deadline`. May also return early for no reason.
// False: the deadline has passed. `shared`: the word lies in memory shared between processes.
inline bool wait(Word& word, std::uint32_t expected, Time deadline = never, bool shared = false) {
  if (auto* scheduler = detail::scheduler()) [[unlikely]] return scheduler->wait(word, expected, deadline);
  return detail::real_wait(word, expected, deadline, shared);
}

// Wakes at most `count` sleepers of the word, whose value the caller has changed before.
inline void wake(Word& word, int count = 1, bool shared = false) {
  if (auto* scheduler = detail::scheduler()) [[unlikely]] return scheduler->wake(word, count);
  detail::real_wake(word, count, shared);
}
inline void wake_all(Word& word, bool shared = false) { wake(word, std::numeric_limits<int>::max(), shared); }

// A point of a polling loop where others may go on: gives the core away.
inline void pause() {
  if (auto* scheduler = detail::scheduler()) [[unlikely]] return scheduler->pause();
  detail::real_pause();
}

// A free choice among `count` things, 0 in production.
inline std::size_t choose(std::size_t count) {
  if (auto* scheduler = detail::scheduler()) [[unlikely]] return scheduler->choose(count);
  return 0;
}

// Tells the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

void sleep_until(Time deadline);

// A named thread that takes part in the seam. An exception out of `body` ends the process. Joins when destroyed.
class Thread {
 public:
  Thread() = default;
  Thread(const std::string& name, std::function<void()> body);
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  bool joinable() const { return thread_.joinable(); }
  void join();

 private:
  std::unique_ptr<Word> finished_;
  std::thread thread_;
};

// Guards a few instructions; never held across a call to user code, wait or pause.
class SpinLock {
 public:
  bool try_lock() {
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    for (unsigned attempt = 0; !try_lock(); ++attempt) {
      if (attempt % 128 == 127) {
        pause();
      } else {
        relax();
      }
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace slipway::seam
