// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "slipway/rpc/execution.hpp"
#include "slipway/rpc/runnable.hpp"

namespace slipway {

template <class T>
class Future;

namespace detail {

// Waits until the call has its outcome, and throws it if it is an error.
void await_outcome(CallState& state);
// False: not within the time. Never throws the call's own error.
bool await_outcome_for(CallState& state, std::chrono::nanoseconds duration);
// Resumes the coroutine when the call has its outcome, in its node's strand. False: the outcome is there.
bool suspend_until_done(CallState& state, std::coroutine_handle<> coroutine);
void cancel_call(CallState& state);

// Runs `f` on the value of a future, on the pool.
template <class T, class F, class U>
class Then final : public Continuation, public Runnable {
 public:
  Then(StateRef<ResultState<T>> from, StateRef<ResultState<U>> to, F f)
      : from_(std::move(from)), to_(std::move(to)), f_(std::move(f)), endpoint_(Endpoint::of_this_thread()) {}

  void start() {
    if (!from_->attach(*this)) endpoint_.run_in_pool(this);
  }
  void notify(CallState&) override { endpoint_.run_in_pool(this); }
  void execute() override {
    const std::unique_ptr<Then> self(this);
    try {
      from_->rethrow();
      from_->materialize();
      if constexpr (std::is_void_v<U>) {
        call();
      } else {
        to_->value.emplace(call());
      }
    } catch (...) {
      if (to_->claim()) to_->fail(std::current_exception());
      return;
    }
    if (to_->claim()) to_->finish();
  }

 private:
  decltype(auto) call() {
    if constexpr (std::is_void_v<T>) {
      return f_();
    } else {
      return f_(std::move(*from_->value));
    }
  }

  StateRef<ResultState<T>> from_;
  StateRef<ResultState<U>> to_;
  F f_;
  Endpoint& endpoint_;
};

template <class F, class T>
struct ThenResult {
  using type = std::remove_cvref_t<std::invoke_result_t<F, T>>;
};
template <class F>
struct ThenResult<F, void> {
  using type = std::remove_cvref_t<std::invoke_result_t<F>>;
};

}  // namespace detail

// The outcome of a call, coming to this caller, once. Movable, not copyable. Destroying it neither waits nor cancels.
// One thread at a time.
template <class T>
class [[nodiscard]] Future {
 public:
  using value_type = T;

  Future() = default;
  explicit Future(detail::StateRef<detail::ResultState<T>> state) : state_(std::move(state)) {}

  // Whether there is an outcome to come or to take: false after get, then, and for a default one.
  bool valid() const { return static_cast<bool>(state_); }

  // Waits for the outcome and takes it: the value, or a CallError thrown. While it waits it moves the rank's messages
  // and may run the very call it waits for; do not hold a lock that handlers of this rank take.
  T get() {
    auto state = take();
    if (state->done()) {
      state->rethrow();
    } else {
      detail::await_outcome(*state);
    }
    state->materialize();
    if constexpr (!std::is_void_v<T>) return std::move(*state->value);
  }

  // The outcome is there: get will not wait.
  bool ready() const { return state_ && state_->done(); }
  // Waits at most so long; true when the outcome is there.
  bool wait_for(std::chrono::nanoseconds duration) const { return detail::await_outcome_for(state(), duration); }

  // A future of what `f` makes of the value; errors pass by it. `f` runs on a pool thread of this rank.
  template <class F>
  auto then(F f) {
    using U = typename detail::ThenResult<F, T>::type;
    detail::StateRef<detail::ResultState<U>> to(new detail::ResultState<U>);
    to->info.deadline = state().info.deadline;
    auto shared = detail::StateRef<detail::ResultState<U>>::share(to.get());
    (new detail::Then<T, F, U>(take(), std::move(shared), std::move(f)))->start();
    return Future<U>(std::move(to));
  }

  // The outcome becomes Cancelled, unless it is there already. A handler that has begun goes on, and so do the calls
  // that a future made from others waits for.
  void cancel() {
    if (state_) detail::cancel_call(*state_);
  }

  // co_await: waits without a thread. `co_await std::move(future)`, of a named future.
  auto operator co_await() && {
    struct Awaiter {
      detail::StateRef<detail::ResultState<T>> state;
      bool await_ready() const { return state->done(); }
      bool await_suspend(std::coroutine_handle<> coroutine) { return detail::suspend_until_done(*state, coroutine); }
      T await_resume() {
        state->rethrow();
        state->materialize();
        if constexpr (!std::is_void_v<T>) return std::move(*state->value);
      }
    };
    return Awaiter{take()};
  }

  // For combinators.
  detail::CallState& state() const {
    if (!state_) throw UsageError("a future without outcome to come was used (it was moved from, or get was called twice)");
    return *state_;
  }

 private:
  detail::StateRef<detail::ResultState<T>> take() {
    static_cast<void>(state());
    return std::move(state_);
  }

  detail::StateRef<detail::ResultState<T>> state_;
};

}  // namespace slipway
