// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/base/ids.hpp"
#include "slipway/base/recycled.hpp"
#include "slipway/base/seam.hpp"

namespace slipway {
class Reader;
}

namespace slipway::detail {

class CallState;
class Endpoint;
struct Entry;
struct MethodEntry;
template <class State = CallState>
class StateRef;

// Something to be told, once, when a call has its outcome. Told on whichever thread completes the call, perhaps with
// the rank's turn held: `notify` must be short and run no user code.
class Continuation {
 public:
  virtual void notify(CallState& state) = 0;
  Continuation* next = nullptr;

 protected:
  ~Continuation() = default;
};

// What a call is, for messages about it.
struct CallInfo {
  Endpoint* endpoint = nullptr;
  const MethodEntry* method = nullptr;  // nullptr: no call, but a future made from futures
  seam::Time deadline = seam::never;
  NodeId node;
};

// Where a call is before its outcome: in the call table under a number, or, inside the rank, in a mailbox. Any thread.
class CallPlace {
 public:
  // Of a call to another rank; 0: none.
  std::uint64_t number() const {
    const std::uintptr_t place = place_.load(std::memory_order_acquire);
    return (place & is_number) != 0 ? place >> 1 : 0;
  }
  void set_number(std::uint64_t number) { place_.store(number << 1 | is_number, std::memory_order_release); }
  // Of a call inside the rank that may not have started; nullptr: none.
  Entry* entry() const {
    const std::uintptr_t place = place_.load(std::memory_order_acquire);
    return (place & is_number) != 0 ? nullptr : reinterpret_cast<Entry*>(place);
  }
  void set_entry(Entry* entry) { place_.store(reinterpret_cast<std::uintptr_t>(entry), std::memory_order_release); }

 private:
  static constexpr std::uintptr_t is_number = 1;  // entries have even addresses
  static_assert(sizeof(std::uintptr_t) == sizeof(std::uint64_t));
  std::atomic<std::uintptr_t> place_{0};
};

// The outcome of one call on its way to one future. Reference-counted: the future, the call table or the mailbox, and
// continuations that reach it hold one each. It fills one cache line; the value follows in the next.
class CallState : public recycled::Object {
 public:
  CallState() = default;
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  virtual ~CallState();

  void retain() { word_.fetch_add(one_reference, std::memory_order_relaxed); }
  // The same while no other thread knows the state.
  void retain_unshared() {
    word_.store(word_.load(std::memory_order_relaxed) + one_reference, std::memory_order_relaxed);
  }
  void release() {
    if (word_.load(std::memory_order_acquire) < 2 * one_reference ||
        word_.fetch_sub(one_reference, std::memory_order_acq_rel) < 2 * one_reference) {
      delete this;
    }
  }

  // Nobody but the caller has a reference.
  bool is_only_reference() const { return word_.load(std::memory_order_acquire) < 2 * one_reference; }

  bool done() const { return (word_.load(std::memory_order_acquire) & closed_flag) != 0; }

  // Exactly one of these is called, once; the first caller of `claim` has the right to it.
  bool claim() { return (word_.fetch_or(claimed_flag, std::memory_order_acq_rel) & claimed_flag) == 0; }
  void finish();                            // the value is in place
  void fail(std::exception_ptr exception);  // CallError or another exception
  // The value is in place, put there without a claim by the only one who may write it. Claims and finishes, or does
  // nothing where the outcome is another already, and gives up one reference: all of it one atomic operation.
  void finish_unclaimed_and_release();

  // False: the outcome is there already, and the continuation will not be told.
  bool attach(Continuation& continuation);
  // Takes back what attach gave; false: it has been told, or is being told.
  bool detach(Continuation& continuation);

  bool failed() const { return error_ != nullptr; }
  // Throws the error, if it is one. The caller has seen done().
  void rethrow() {
    if (!error_) return;
    ignore_errors();
    std::rethrow_exception(error_);
  }
  std::exception_ptr error() {
    if (error_) ignore_errors();
    return error_;
  }
  // From here on nobody is to be told of an error that was not looked at.
  void ignore_errors() { observed_.store(true, std::memory_order_relaxed); }

  virtual void decode_value(Reader& reader) = 0;
  // A whole reply, on the thread that received it: puts the value in place, or keeps the bytes of a user's type for
  // `materialize`.
  virtual void take_body(std::span<const std::byte> body) = 0;
  // Of one that needs others: one of these without an outcome yet, for the thread that waits. It may run that one
  // itself, or find that it closes a cycle. Empty: it needs none.
  virtual StateRef<> part_to_wait_for();
  // Runs what makes the outcome, on the thread that waits, if nobody has begun on it. False: it did not.
  virtual bool run_here() { return false; }
  // What is waited for, for messages. Empty: the call that `info` tells of.
  virtual std::string describe() const { return {}; }
  // What of the outcome is left to be made by the thread that takes it; before the value is used.
  virtual void materialize() {}

 private:
  // The head of the list of continuations, an address of at most 48 bits; in its lowest bits two flags; above it the
  // number of references.
  static constexpr std::uint64_t closed_flag = 1;
  static constexpr std::uint64_t claimed_flag = 2;
  static constexpr std::uint64_t one_reference = std::uint64_t{1} << 48;
  static constexpr std::uint64_t list_mask = (one_reference - 1) & ~(closed_flag | claimed_flag);
  static Continuation* list_in(std::uint64_t word) {
    return reinterpret_cast<Continuation*>(static_cast<std::uintptr_t>(word & list_mask));
  }
  void close();
  void tell(Continuation* list);

  std::atomic<std::uint64_t> word_{one_reference};
  std::exception_ptr error_;

 public:
  CallPlace place;
  [[no_unique_address]] CallInfo info;  // written member by member: what follows lies in its padding

 private:
  std::atomic<bool> observed_{false};
  seam::SpinLock detach_lock_;
};

static_assert(sizeof(CallState) == 64);

// Owns one reference.
template <class State>
class StateRef {
 public:
  StateRef() = default;
  explicit StateRef(State* state) : state_(state) {}  // takes over a reference
  StateRef(StateRef&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  StateRef& operator=(StateRef&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~StateRef() {
    if (state_) state_->release();
  }
  static StateRef share(State* state) {
    state->retain();
    return StateRef(state);
  }
  State* get() const { return state_; }
  State* operator->() const { return state_; }
  State& operator*() const { return *state_; }
  explicit operator bool() const { return state_ != nullptr; }
  State* take() { return std::exchange(state_, nullptr); }

 private:
  State* state_ = nullptr;
};

inline StateRef<> CallState::part_to_wait_for() { return {}; }

}  // namespace slipway::detail
