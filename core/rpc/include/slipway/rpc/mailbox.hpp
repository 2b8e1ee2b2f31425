// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "slipway/base/ids.hpp"
#include "slipway/base/recycled.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

class NodeSlot;

// What waits in a node's mailbox: requests that came together, a call inside the rank, a thread that wants the strand.
struct Entry {
  enum class Step : std::uint8_t {
    finished,   // the entry is gone
    suspended,  // a coroutine keeps the strand; the entry is gone or has gone back to the front
    lent,       // a thread outside has the strand now, and gives it back by NodeSlot::strand_returned
  };
  virtual ~Entry() = default;
  // Runs the handlers, in the strand. Disposes of the entry unless it says otherwise.
  virtual Step run(NodeSlot& node) = 0;
  // The node will not run it: tells the callers why and disposes of the entry.
  virtual void drop(const char* reason) = 0;
  // The rank has ended, and there is nobody to tell: frees the entry. Nothing for one that is a part of something else.
  virtual void abandon() {}
  // Whether this call of that rank waits here.
  virtual bool holds(RankId from, std::uint64_t call_id) const = 0;
  // Whether it is the call inside the rank whose outcome goes to this CallState.
  virtual bool serves(const void* state) const {
    (void)state;
    return false;
  }

  Entry* next = nullptr;
};

// The queue in front of a node, and who may run it. At most `limit` runners at once; with 1 it is a strand.
//
// A runner is announced by a *token* (the caller of `push` puts it into the pool's run queue), and becomes active when
// it takes its first entry. Threads that wait for an entry may take it before its token does (`take_if_next`).
class Mailbox {
 public:
  explicit Mailbox(std::uint32_t limit) : limit_(limit) {}

  // True: a token must be scheduled.
  [[nodiscard]] bool push(Entry* entry) {
    lock_.lock();
    entry->next = nullptr;
    (tail_ ? tail_->next : head_) = entry;
    tail_ = entry;
    const bool schedule = wants_token();
    lock_.unlock();
    return schedule;
  }
  void push_front(Entry* entry) {
    lock_.lock();
    entry->next = head_;
    head_ = entry;
    if (!tail_) tail_ = entry;
    lock_.unlock();
  }

  // A token has been picked up: an entry to run as an active runner, or nothing.
  Entry* begin() {
    lock_.lock();
    --tokens_;
    Entry* const entry = active_ < limit_ && open_ ? pop() : nullptr;
    if (entry) ++active_;
    lock_.unlock();
    return entry;
  }
  // An active runner goes on: its next entry, or nothing, and then it is none any more.
  Entry* next() {
    lock_.lock();
    Entry* const entry = pop();
    if (!entry) --active_;
    lock_.unlock();
    return entry;
  }
  // An active runner stops without looking on. True: a token must be scheduled for what waits.
  [[nodiscard]] bool leave() {
    lock_.lock();
    --active_;
    const bool schedule = wants_token();
    lock_.unlock();
    return schedule;
  }
  // Becomes an active runner if one may start at once and nothing waits.
  bool enter_if_idle() {
    if (!lock_.try_lock()) return false;
    const bool entered = open_ && active_ < limit_ && !head_;
    if (entered) ++active_;
    lock_.unlock();
    return entered;
  }
  // Becomes an active runner of exactly this entry if it is the next and nobody has begun on it.
  bool take_if_next(const Entry* entry, const void* state) {
    lock_.lock();
    const bool taken = open_ && active_ < limit_ && head_ == entry && entry->serves(state);
    if (taken) {
      pop();
      ++active_;
    }
    lock_.unlock();
    return taken;
  }
  // Takes an entry back that nobody has begun on.
  bool remove(Entry* entry) {
    lock_.lock();
    Entry* before = nullptr;
    Entry* each = head_;
    while (each && each != entry) {
      before = each;
      each = each->next;
    }
    if (each) {
      (before ? before->next : head_) = each->next;
      if (tail_ == each) tail_ = before;
    }
    lock_.unlock();
    return each != nullptr;
  }
  // Until opened, entries only gather (the node is being constructed). True: a token must be scheduled.
  [[nodiscard]] bool open() {
    lock_.lock();
    open_ = true;
    const bool schedule = wants_token();
    lock_.unlock();
    return schedule;
  }
  // Takes all that waits, and lets nothing run any more.
  Entry* close() {
    lock_.lock();
    open_ = false;
    Entry* const entries = head_;
    head_ = tail_ = nullptr;
    lock_.unlock();
    return entries;
  }

  bool holds(RankId from, std::uint64_t call_id) {
    lock_.lock();
    bool found = false;
    for (const Entry* entry = head_; entry && !found; entry = entry->next) found = entry->holds(from, call_id);
    lock_.unlock();
    return found;
  }
  bool serves(const void* state) {
    lock_.lock();
    bool found = false;
    for (const Entry* entry = head_; entry && !found; entry = entry->next) found = entry->serves(state);
    lock_.unlock();
    return found;
  }
  bool has_runner() {
    lock_.lock();
    const bool runs = active_ > 0;
    lock_.unlock();
    return runs;
  }
  bool is_open() {
    lock_.lock();
    const bool open = open_;
    lock_.unlock();
    return open;
  }
  bool idle() {
    lock_.lock();
    const bool idle = active_ == 0 && !head_;
    lock_.unlock();
    return idle;
  }
  std::uint32_t limit() const { return limit_; }

 private:
  bool wants_token() {
    if (!open_ || !head_ || active_ + tokens_ >= limit_) return false;
    ++tokens_;
    return true;
  }
  Entry* pop() {
    Entry* const entry = head_;
    if (entry) {
      head_ = entry->next;
      if (!head_) tail_ = nullptr;
    }
    return entry;
  }

  seam::SpinLock lock_;  // guards what follows
  Entry* head_ = nullptr;
  Entry* tail_ = nullptr;
  std::uint32_t active_ = 0;
  std::uint32_t tokens_ = 0;
  bool open_ = false;
  const std::uint32_t limit_;
};

}  // namespace slipway::detail
