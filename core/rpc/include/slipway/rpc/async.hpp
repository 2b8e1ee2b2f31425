// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

#include "slipway/rpc/execution.hpp"

// Handlers that wait without a thread: `slipway::Async<R> method(...)` with co_await inside. Thousands may wait at once.
namespace slipway {

template <class R>
class Async;

namespace detail {

// One call whose handler is a coroutine. Lives until it ends, and with it the arguments.
struct CoroutineCall {
  explicit CoroutineCall(Invocation& invocation);
  virtual ~CoroutineCall() = default;
  CoroutineCall(const CoroutineCall&) = delete;
  CoroutineCall& operator=(const CoroutineCall&) = delete;

  // Runs a part of it, on the thread of its strand. True: it is suspended again.
  bool resume(std::coroutine_handle<> part);
  // The coroutine may go on: both its outcome has come and the thread that suspended it has left the strand's entry.
  void outcome_came();
  void runner_left();
  virtual void finished() = 0;  // sends the outcome

  NodeSlot* node;
  Activity activity;
  ReplyTo reply;
  std::coroutine_handle<> suspended_part;
  std::atomic<int> steps_to_resume{0};
};
// The entry that suspended a coroutine has left its strand alone; to be called after Entry::run said so.
void settle_suspended();

struct AsyncPromiseBase {
  std::coroutine_handle<> continuation;  // the coroutine that awaits this one
  CoroutineCall* call = nullptr;         // or the call that it is
  std::exception_ptr error;

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      return self.promise().continuation ? self.promise().continuation : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }
};

template <class R>
struct AsyncPromise : AsyncPromiseBase {
  std::optional<R> value;
  Async<R> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  R take() { return std::move(*value); }
};
template <>
struct AsyncPromise<void> : AsyncPromiseBase {
  Async<void> get_return_object();
  void return_void() noexcept {}
  void take() {}
};

}  // namespace detail

// The coroutine type of handlers. Starts when awaited, or when its call is run. Awaits futures and other Asyncs:
//   auto draw = producer.call<&Producer::draw>(100);
//   int value = co_await std::move(draw);           // a named future: see design on compilers
template <class R>
class [[nodiscard]] Async {
 public:
  using promise_type = detail::AsyncPromise<R>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Async(Handle handle) : handle_(handle) {}
  Async(Async&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Async& operator=(Async&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Async() {
    if (handle_) handle_.destroy();
  }

  Handle handle() const { return handle_; }

  auto operator co_await() && {
    struct Awaiter {
      Handle handle;
      bool await_ready() const { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
        handle.promise().continuation = awaiting;
        return handle;
      }
      R await_resume() {
        if (handle.promise().error) std::rethrow_exception(handle.promise().error);
        return handle.promise().take();
      }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

namespace detail {

template <class R>
Async<R> AsyncPromise<R>::get_return_object() {
  return Async<R>(std::coroutine_handle<AsyncPromise<R>>::from_promise(*this));
}
inline Async<void> AsyncPromise<void>::get_return_object() {
  return Async<void>(std::coroutine_handle<AsyncPromise<void>>::from_promise(*this));
}

template <class T, auto Method, class Values>
struct CoroutineCallOf final : CoroutineCall {
  CoroutineCallOf(Invocation& invocation, T& object, Values&& arguments)
      : CoroutineCall(invocation), values(std::move(arguments)), coroutine(apply_method<T, Method>(object, values)) {}
  void finished() override {
    auto& promise = coroutine.handle().promise();
    if (promise.error) {
      reply.fail(promise.error, HandlerRan::yes);
    } else if constexpr (std::is_void_v<ResultOf<Method>>) {
      reply.done_without_value();
    } else {
      try {
        reply_value(reply, promise.take());
      } catch (...) {
        reply.fail(std::current_exception(), HandlerRan::yes);
      }
    }
  }
  Values values;
  Async<ResultOf<Method>> coroutine;
};

// Runs a new call's first part; disposes of the call if that was all.
bool start_call(CoroutineCall* call, std::coroutine_handle<> coroutine);

template <class T, auto Method, class Values>
void start_coroutine(Invocation& invocation, T& object, Values&& values) {
  auto* const call = new CoroutineCallOf<T, Method, std::remove_cvref_t<Values>>(invocation, object, std::move(values));
  invocation.reply = {};
  invocation.suspended = start_call(call, call->coroutine.handle());
}

}  // namespace detail
}  // namespace slipway
