// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/rpc/combine.hpp"
#include "slipway/tasks/ref.hpp"
#include "slipway/tasks/task_error.hpp"

// Many refs in the order in which their values come. Contract 12.
namespace slipway {

enum class Outcome : std::uint8_t { ok, failed, cancelled, lost };

namespace detail {

Outcome outcome_of(const std::exception_ptr& error);
// The next one that this thread's wait gives out.
std::optional<std::size_t> next_outcome(CompletionQueue& queue, seam::Time deadline);

}  // namespace detail

// A ref whose outcome is there. Stands for a T where a Ref<T> does.
template <class T>
class Done {
 public:
  using value_type = T;

  Done() = default;
  explicit Done(Ref<T> ref) : ref_(std::move(ref)) {}

  Outcome outcome() const { return detail::outcome_of(error()); }
  bool ok() const { return error() == nullptr; }
  // nullptr: it has a value.
  std::exception_ptr error() const { return ref_.object().error(); }
  // The value, valid as long as this or another ref to it lives; throws the error. Of a temporary: the value itself.
  decltype(auto) value() const& { return get(ref_); }
  T value() && { return get(std::move(ref_)); }

  const Ref<T>& ref() const& { return ref_; }
  Ref<T>&& ref() && { return std::move(ref_); }

 private:
  Ref<T> ref_;
};

struct WaitOptions {
  std::size_t count = std::numeric_limits<std::size_t>::max();  // so many outcomes are enough; all, if there are fewer
  std::chrono::nanoseconds timeout{std::chrono::nanoseconds::max()};
};
static_assert(std::is_trivially_destructible_v<WaitOptions>);

// Refs that are waited for together; each is given out once, when its outcome is there. A wait costs as much as it
// gives out, however many are in the set. What it gives out is logged, and comes again in a run that repeats this one
// (--slipway-replay). One thread at a time.
template <class T>
class WaitSet {
 public:
  WaitSet() : queue_(new detail::CompletionQueue) {}
  explicit WaitSet(std::vector<Ref<T>> refs) : WaitSet() {
    for (auto& ref : refs) add(std::move(ref));
  }

  void add(Ref<T> ref) {
    const std::size_t index = queue_->watch(ref.wanted());
    if (index == refs_.size()) refs_.emplace_back();
    refs_[index] = std::move(ref);
  }
  std::size_t left() const { return queue_ ? queue_->left() : 0; }  // not given out yet
  bool empty() const { return left() == 0; }
  // Those: to cancel them, say.
  std::vector<Ref<T>> refs() const {
    std::vector<Ref<T>> rest;
    for (const auto& ref : refs_) {
      if (ref) rest.push_back(ref);
    }
    return rest;
  }

  // Outcomes in the order in which they came: as many as asked for, or those that came in time.
  std::vector<Done<T>> wait(const WaitOptions& options = {}) {
    std::vector<Done<T>> done;
    const seam::Time deadline = seam::after(options.timeout);
    const std::size_t count = std::min(options.count, left());
    done.reserve(count);
    while (done.size() < count) {
      auto next = next_until(deadline);
      if (!next) break;
      done.push_back(std::move(*next));
    }
    return done;
  }
  // The next one; nothing when all have been given out.
  std::optional<Done<T>> next() { return next_until(seam::never); }

 private:
  std::optional<Done<T>> next_until(seam::Time deadline) {
    const auto index = queue_ ? detail::next_outcome(*queue_, deadline) : std::nullopt;
    if (!index) return std::nullopt;
    return Done<T>(std::exchange(refs_[*index], {}));
  }

  detail::CompletionQueue::Owner queue_;
  std::vector<Ref<T>> refs_;  // by the queue's index; empty once given out
};

// Waits for some of the refs, and gives their outcomes in the order in which they came. For more than one wait on the
// same refs take a WaitSet.
template <class T>
std::vector<Done<T>> wait(std::vector<Ref<T>> refs, const WaitOptions& options = {}) {
  return WaitSet<T>(std::move(refs)).wait(options);
}

// All outcomes, in the order of the refs, failures among them.
template <class T>
std::vector<Done<T>> get(std::vector<Ref<T>> refs) {
  std::vector<Done<T>> done;
  done.reserve(refs.size());
  for (const auto& ref : refs) ref.wanted();
  // First what nobody has begun on. What others run ends in about this order: who waits for the last waits once.
  for (const auto& ref : refs) {
    if (!ref.object().done()) static_cast<void>(ref.object().run_here());
  }
  for (auto ref = refs.rbegin(); ref != refs.rend(); ++ref) {
    static_cast<void>(detail::await_outcome_for(ref->object(), std::chrono::nanoseconds::max()));
  }
  for (auto& ref : refs) done.emplace_back(std::move(ref));
  return done;
}

}  // namespace slipway
