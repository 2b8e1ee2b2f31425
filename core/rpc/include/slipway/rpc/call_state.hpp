// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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

// Something to be told, once, when a call has its outcome. Told on whichever thread completes the call, perhaps with the
// rank's turn held: `notify` must be short and run no user code.
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
  NodeId node;
  std::uint64_t id = 0;        // in the call table; 0: a call inside the rank
  std::uint64_t activity = 0;  // who called
  std::uint64_t room = 0;      // what it takes of the node's window
  seam::Time deadline = seam::never;
};

// The outcome of one call on its way to one future. Reference-counted: the future, the call table or the mailbox, and
// continuations that reach it hold one each.
class CallState : public recycled::Object {
 public:
  CallState() = default;
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  virtual ~CallState();

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.load(std::memory_order_acquire) == 1 || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  bool done() const { return link_.load(std::memory_order_acquire) == closed(); }

  // Exactly one of these is called, once; the first caller of `claim` has the right to it.
  bool claim() { return !claimed_.exchange(true, std::memory_order_acq_rel); }
  void finish();                           // the value is in place
  void fail(std::exception_ptr exception);  // CallError or another exception

  // False: the outcome is there already, and the continuation will not be told.
  bool attach(Continuation& continuation);
  // Takes back what attach gave; false: it has been told, or is being told.
  bool detach(Continuation& continuation);

  bool failed() const { return error_ != nullptr; }
  // Throws the error, if it is one. The caller has seen done().
  void rethrow() {
    observed_ = true;
    if (error_) std::rethrow_exception(error_);
  }
  std::exception_ptr error() {
    observed_ = true;
    return error_;
  }
  // From here on nobody is to be told of an error that was not looked at.
  void ignore_errors() { observed_ = true; }

  // Puts the value in place. `library` types on the thread that received the reply; user types in get.
  virtual void decode_value(Reader& reader) = 0;
  virtual void decode_body(std::span<const std::byte> body) = 0;  // a whole one
  virtual bool decodes_on_arrival() const = 0;
  // For user types: keeps the bytes until `materialize` decodes them.
  std::vector<std::byte> kept_body;
  bool has_kept_body = false;
  // What of the outcome is left to be made by the thread that takes it; before the value is used.
  virtual void materialize();

  CallInfo info;
  std::atomic<Entry*> local_entry{nullptr};  // a call inside the rank that may not have started

 private:
  static Continuation* closed() { return reinterpret_cast<Continuation*>(std::uintptr_t{1}); }
  void close();

  std::atomic<std::uint32_t> references_{1};
  std::atomic<bool> claimed_{false};
  bool observed_ = false;
  std::atomic<Continuation*> link_{nullptr};
  seam::SpinLock detach_lock_;
  std::exception_ptr error_;
};

// Owns one reference.
template <class State = CallState>
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

}  // namespace slipway::detail
