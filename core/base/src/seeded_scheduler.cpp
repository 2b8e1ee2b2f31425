// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/seeded_scheduler.hpp"

#include <execinfo.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace slipway {

namespace {

constexpr seam::Time start_of_time = 1'000'000'000;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "slipway: %s\n", text.c_str());
  std::abort();
}

std::string stack_of_this_thread() {
  std::array<void*, 32> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  char** const symbols = backtrace_symbols(frames.data(), count);
  std::string text;
  for (int i = 0; symbols != nullptr && i < count; ++i) text += std::string("    ") + symbols[i] + "\n";
  std::free(symbols);
  return text;
}

}  // namespace

struct SeededScheduler::Member {
  enum class State : std::uint8_t { runnable, waiting };

  explicit Member(std::string thread_name) : name(std::move(thread_name)) {}

  const std::string name;
  seam::Word go{0};  // 1: has been given the baton
  State state = State::runnable;
  const seam::Word* word = nullptr;
  seam::Time deadline = seam::never;
  bool timed_out = false;

  // A deadlock's reporter asks each thread for its stack.
  Member* reporter = nullptr;
  std::string stack;
};

namespace {
// The member that this thread is; void* because the type is the scheduler's own.
thread_local void* this_member = nullptr;
}  // namespace

// Watches in real time that the baton moves.
class SeededScheduler::Watchdog {
 public:
  explicit Watchdog(SeededScheduler& scheduler) : scheduler_(scheduler), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard guard(mutex_);
      stopping_ = true;
    }
    stop_.notify_one();
    thread_.join();
  }

 private:
  void watch() {
    std::uint64_t seen = scheduler_.switches();
    bool reported = false;
    std::unique_lock guard(mutex_);
    while (!stop_.wait_for(guard, scheduler_.options_.blocked_after, [this] { return stopping_; })) {
      const std::uint64_t switches = scheduler_.switches();
      if (switches == seen && !std::exchange(reported, true)) report();
      if (switches != seen) reported = false;
      seen = switches;
    }
  }

  void report() {
    const Member* const holder = scheduler_.holder_.load(std::memory_order_acquire);
    const std::string text = "the thread \"" + (holder ? holder->name : std::string("?")) +
                             "\" of the run under seed " + std::to_string(scheduler_.seed_) +
                             " holds the others up (it computes for long, or blocks outside the seam); let it wait, "
                             "lock and sleep through slipway::seam";
    if (scheduler_.options_.on_blocked) {
      scheduler_.options_.on_blocked(text);
    } else {
      std::fprintf(stderr, "slipway: %s\n", text.c_str());
    }
  }

  SeededScheduler& scheduler_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

SeededScheduler::SeededScheduler(std::uint64_t seed, SeededOptions options)
    : seed_(seed), options_(std::move(options)), random_state_(seed), now_(start_of_time) {
  members_.push_back(std::make_unique<Member>("main"));
  this_member = members_.front().get();
  holder_.store(members_.front().get(), std::memory_order_release);
  watchdog_ = std::make_unique<Watchdog>(*this);
}

SeededScheduler::~SeededScheduler() {
  watchdog_.reset();
  if (members_.size() != 1) {
    fail("a seeded run ends while threads of it live (they would never get the baton again); join them first:\n" +
         list_of_threads());
  }
  this_member = nullptr;
}

// Choices ------------------------------------------------------------------------------------------------------------

// splitmix64: every seed is a good one, also 0, 1, 2.
std::uint64_t SeededScheduler::random() {
  std::uint64_t value = (random_state_ += 0x9e3779b97f4a7c15u);
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

std::size_t SeededScheduler::choose(std::size_t count) {
  if (this_member == nullptr || count < 2) return 0;
  const std::size_t choice = random() % count;
  trace_ = (trace_ ^ (choice + 1)) * 0x100000001b3u;
  return choice;
}

SeededScheduler::Member* SeededScheduler::pick_runnable() {
  candidates_.clear();
  const seam::Time time = now_.load(std::memory_order_relaxed);
  for (const auto& member : members_) {
    if (member->state == Member::State::waiting && member->deadline <= time) {
      member->state = Member::State::runnable;
      member->timed_out = true;
    }
    if (member->state == Member::State::runnable) candidates_.push_back(member.get());
  }
  return candidates_.empty() ? nullptr : candidates_[choose(candidates_.size())];
}

bool SeededScheduler::jump_to_next_deadline() {
  seam::Time earliest = seam::never;
  for (const auto& member : members_) earliest = std::min(earliest, member->deadline);
  if (earliest == seam::never) return false;
  now_.store(std::max(earliest, now_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  return true;
}

SeededScheduler::Member& SeededScheduler::pick(Member& self) {
  for (;;) {
    if (Member* const next = pick_runnable()) return *next;
    if (!jump_to_next_deadline()) report_deadlock(self);
  }
}

// The baton ----------------------------------------------------------------------------------------------------------

void SeededScheduler::hand_to(Member& next) {
  switches_.fetch_add(1, std::memory_order_relaxed);
  holder_.store(&next, std::memory_order_release);
  next.go.store(1, std::memory_order_release);
  seam::detail::real_wake(next.go, 1, false);
}

void SeededScheduler::await_baton(Member& self) {
  while (self.go.load(std::memory_order_acquire) == 0) seam::detail::real_wait(self.go, 0, seam::never, false);
  self.go.store(0, std::memory_order_relaxed);
}

// Gives the baton away until this thread is chosen; it may be chosen at once.
void SeededScheduler::sleep(Member& self) {
  Member& next = pick(self);
  if (&next == &self) return;
  hand_to(next);
  await_baton(self);
  while (Member* const reporter = std::exchange(self.reporter, nullptr)) {
    self.stack = stack_of_this_thread();
    hand_to(*reporter);
    await_baton(self);
  }
}

void SeededScheduler::scheduling_point(Member& self) {
  const auto step = static_cast<seam::Time>(choose(static_cast<std::size_t>(2 * options_.step + 1)));
  now_.fetch_add(step, std::memory_order_relaxed);
  sleep(self);
}

// The seam -----------------------------------------------------------------------------------------------------------

seam::Time SeededScheduler::now() {
  if (this_member == nullptr) return now_.load(std::memory_order_relaxed);
  return now_.fetch_add(options_.clock_step, std::memory_order_relaxed) + options_.clock_step;
}

void SeededScheduler::pause() {
  if (this_member == nullptr) return seam::detail::real_pause();
  scheduling_point(self_or_abort("pauses"));
}

bool SeededScheduler::wait(seam::Word& word, std::uint32_t expected, seam::Time deadline) {
  Member& self = self_or_abort("waits");
  // Between what the caller has looked at and its sleep, anything may happen.
  scheduling_point(self);
  if (deadline <= now_.load(std::memory_order_relaxed)) return false;
  if (word.load(std::memory_order_acquire) != expected) return true;
  if (options_.early_return_in != 0 && choose(options_.early_return_in) == 1) return true;

  self.state = Member::State::waiting;
  self.word = &word;
  self.deadline = deadline;
  sleep(self);
  self.word = nullptr;
  self.deadline = seam::never;
  return !std::exchange(self.timed_out, false);
}

void SeededScheduler::wake(seam::Word& word, int count) {
  self_or_abort("wakes others");
  candidates_.clear();
  for (const auto& member : members_) {
    if (member->state == Member::State::waiting && member->word == &word) candidates_.push_back(member.get());
  }
  for (; count > 0 && !candidates_.empty(); --count) {
    std::swap(candidates_[choose(candidates_.size())], candidates_.back());
    candidates_.back()->state = Member::State::runnable;
    // Woken before its time: a deadline that passes until it runs no longer counts.
    candidates_.back()->deadline = seam::never;
    candidates_.pop_back();
  }
}

std::uint64_t SeededScheduler::announce_thread(const std::string& name) {
  self_or_abort("starts a thread");
  members_.push_back(std::make_unique<Member>(name));
  return reinterpret_cast<std::uintptr_t>(members_.back().get());
}

void SeededScheduler::enter_thread(std::uint64_t ticket) {
  auto* const self = reinterpret_cast<Member*>(static_cast<std::uintptr_t>(ticket));
  this_member = self;
  await_baton(*self);
}

void SeededScheduler::leave_thread() {
  Member& self = self_or_abort("leaves");
  const auto place =
      std::find_if(members_.begin(), members_.end(), [&](const auto& member) { return member.get() == &self; });
  left_.push_back(std::move(*place));
  members_.erase(place);
  hand_to(pick(self));
  this_member = nullptr;
}

// Reports ------------------------------------------------------------------------------------------------------------

SeededScheduler::Member& SeededScheduler::self_or_abort(const char* what) const {
  if (this_member != nullptr) return *static_cast<Member*>(this_member);
  fail(std::string("a thread outside the seeded run ") + what +
       " through the seam (its steps could not be repeated); start it as a slipway::seam::Thread inside the run");
}

std::string SeededScheduler::list_of_threads() const {
  std::string text;
  for (const auto& member : members_) {
    text += "  " + member->name + (member->state == Member::State::waiting ? ", waiting" : ", able to run") + "\n" +
            member->stack;
  }
  return text;
}

void SeededScheduler::report_deadlock(Member& self) {
  for (const auto& member : members_) {
    if (member.get() == &self) {
      member->stack = stack_of_this_thread();
      continue;
    }
    member->reporter = &self;
    hand_to(*member);
    await_baton(self);
  }
  const std::string report = "deadlock in the run under seed " + std::to_string(seed_) +
                             " (all threads wait, none has a deadline); see where each waits:\n" + list_of_threads();
  if (!options_.on_deadlock) fail(report);
  options_.on_deadlock(report);
  for (const auto& member : members_) member->state = Member::State::runnable;
}

// SeededRun ----------------------------------------------------------------------------------------------------------

class SeededRun::Pinned {
 public:
  Pinned() {
    const int core = sched_getcpu();
    known_ = core >= 0 && sched_getaffinity(0, sizeof(before_), &before_) == 0;
    if (!known_) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(core), &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  ~Pinned() {
    if (known_) sched_setaffinity(0, sizeof(before_), &before_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
  bool known_ = false;
};

SeededRun::SeededRun(std::uint64_t seed, SeededOptions options)
    : pinned_(options.pin ? std::make_unique<Pinned>() : nullptr), scheduler_(seed, std::move(options)) {
  seam::install(&scheduler_);
}

SeededRun::~SeededRun() { seam::install(nullptr); }

}  // namespace slipway
