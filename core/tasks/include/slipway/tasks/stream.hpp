// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "slipway/rpc/future.hpp"
#include "slipway/tasks/stream_state.hpp"
#include "slipway/tasks/submit.hpp"
#include "slipway/tasks/task_context.hpp"

// A task with many results, each of which is there as soon as the task has it.
namespace slipway {

// What the function of a stream takes first, before its arguments: it gives away one value after the other.
//   void frames(slipway::Yield<Frame>& yield, int camera) {
//     while (const auto frame = grab(camera)) yield(*frame);
//   }
// Lives as long as the call. One thread.
template <class T>
class Yield {
  static_assert(Transferable<T>,
                "slipway: a value of this stream cannot be sent (it is a view, holds pointers, or has no serialize())");

 public:
  Yield(TaskContext& context, const detail::StreamTarget& target) : context_(context), target_(target) {}
  Yield(const Yield&) = delete;
  Yield& operator=(const Yield&) = delete;

  TaskContext& context() const { return context_; }

  // Waits while too many values have been taken by nobody. Throws Cancelled once nobody wants any: let it pass.
  void operator()(T value) {
    while (under_way_.size() >= target_.ahead) settle_first();
    if (context_.stop_requested()) throw_not_wanted();
    under_way_.push_back(detail::give_to_stream(target_, given_++, put(std::move(value))));
  }
  // All have arrived: before the task ends, which tells that there are no more.
  void finish() {
    for (; !under_way_.empty(); under_way_.pop_front()) static_cast<void>(under_way_.front().wait_for(forever));
  }

 private:
  void settle_first() {
    const bool wanted = under_way_.front().get();
    under_way_.pop_front();
    if (!wanted) throw_not_wanted();
  }
  [[noreturn]] void throw_not_wanted() const {
    throw Cancelled("nobody wants the values of stream " + context_.path() + " any more", HandlerRan::yes);
  }

  TaskContext& context_;
  static constexpr std::chrono::nanoseconds forever = std::chrono::nanoseconds::max();

  const detail::StreamTarget target_;
  std::uint64_t given_ = 0;
  std::deque<Future<bool>> under_way_;
};

struct StreamOptions {
  std::uint32_t ahead = 16;  // so many values, or up to twice as many, may be there that nobody has taken
  On on = {};                // as for any task; a stream is not run again
};

// The values of such a task, in their order, for who has asked for it. Movable; destroyed, it cancels the task. One
// thread at a time.
template <class T>
class Stream {
 public:
  using value_type = T;

  Stream() = default;
  Stream(std::shared_ptr<detail::StreamState<T>> state, Ref<void> task)
      : state_(std::move(state)), task_(std::move(task)) {}
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&& other) noexcept {
    abandon();
    state_ = std::move(other.state_);
    task_ = std::move(other.task_);
    return *this;
  }
  ~Stream() { abandon(); }

  // A ref to the next value, once it has come; nothing: there are no more. Throws the failure of the task, after the
  // values before it.
  std::optional<Ref<T>> next() {
    const Ref<T> ref = state().take();
    static_cast<void>(detail::await_outcome_for(ref.object(), std::chrono::nanoseconds::max()));
    if (ref.object().failed()) return detail::end_of_stream<T>(ref.object().error());
    return ref;
  }
  // The same at once, though the value is still to come: for `wait`, a WaitSet, an argument. After the last value it
  // fails with StreamEnd.
  Ref<T> ahead() { return state().take(); }
  // The task itself, whose outcome comes when it has given away all.
  const Ref<void>& task() const { return task_; }

 private:
  detail::StreamState<T>& state() const {
    if (!state_) throw UsageError("a stream without values was used (a default one, or it was moved from)");
    return *state_;
  }
  void abandon() {
    if (!state_) return;
    state_->abandon();
    cancel(task_);
  }

  std::shared_ptr<detail::StreamState<T>> state_;
  Ref<void> task_;
};

namespace detail {

template <auto Function, class F>
struct StreamBody;
template <auto Function, class T, class... P>
struct StreamBody<Function, void (*)(Yield<T>&, P...)> {
  using Value = T;
  static void run(TaskContext& context, const StreamTarget& target, P... args) {
    Yield<T> yield(context, target);
    try {
      as_function<Function>()(yield, std::forward<P>(args)...);
    } catch (...) {
      yield.finish();
      throw;
    }
    yield.finish();
  }
  static const char* name() {
    static const std::string name = function_name(pretty_task_name<Function>());
    return name.c_str();
  }
};
template <auto Function, class T, class... P>
struct StreamBody<Function, void (*)(Yield<T>&, P...) noexcept> : StreamBody<Function, void (*)(Yield<T>&, P...)> {};
template <auto Function>
using StreamBodyOf = StreamBody<Function, decltype(as_function<Function>())>;

template <auto Function>
concept StreamFunction = requires {
  typename StreamBodyOf<Function>::Value;
};

template <auto Function, class... Args>
auto start_stream(StreamOptions options, Args&&... args) {
  static_assert(StreamFunction<Function>,
                "slipway: a stream's function takes slipway::Yield<T>& first, and returns nothing");
  if constexpr (StreamFunction<Function>) {
    using Body = StreamBodyOf<Function>;
    using T = typename Body::Value;
    if (!options.on.options.name) options.on.options.name = Body::name();
    options.on.options.max_retries = 0;  // its values are out
    options.on.options.retry_exceptions = 0;
    auto state = StreamState<T>::make(options.ahead);
    Ref<void> task = submit<&Body::run>(options.on, state->target(), std::forward<Args>(args)...);
    state->end_with(task);
    return Stream<T>(std::move(state), std::move(task));
  }
}

}  // namespace detail

// A task whose function gives away many values, each as soon as it has it: to this thread, which may be on another
// rank. Large ones stay where they are made until somebody looks. While too many are there that nobody has taken, the
// function waits in its yield. Arguments and options are those of `submit`. Any thread of a rank.
template <auto Function, class... Args>
auto stream(Args&&... args) {
  return detail::start_stream<Function>(StreamOptions(), std::forward<Args>(args)...);
}
template <auto Function, class... Args>
auto stream(On on, Args&&... args) {
  return detail::start_stream<Function>(StreamOptions{.on = on}, std::forward<Args>(args)...);
}
template <auto Function, class... Args>
auto stream(StreamOptions options, Args&&... args) {
  return detail::start_stream<Function>(options, std::forward<Args>(args)...);
}

}  // namespace slipway
