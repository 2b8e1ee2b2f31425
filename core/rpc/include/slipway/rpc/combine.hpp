// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "slipway/rpc/future.hpp"

// Futures of several futures, and several futures in the order in which they complete.
namespace slipway {

namespace detail {

// Tells `owner` of the outcome of one of several calls. The owner lives until it has been told of all.
template <class Owner>
class Part final : public Continuation {
 public:
  void watch(Owner* owner, std::size_t index, CallState& state) {
    owner_ = owner;
    index_ = index;
    if (!state.attach(*this)) notify(state);
  }
  void notify(CallState&) override { owner_->part_done(index_); }

 private:
  Owner* owner_ = nullptr;
  std::size_t index_ = 0;
};

// Throws UsageError for one without an outcome to come, before anything is watched.
template <class T>
void check_valid(const std::vector<Future<T>>& futures) {
  for (const auto& future : futures) static_cast<void>(future.state());
}

template <class T>
class AllState final : public ResultState<std::vector<T>> {
 public:
  explicit AllState(std::vector<Future<T>> futures)
      : futures_(std::move(futures)), parts_(futures_.size()), left_(futures_.size() + 1) {}
  void watch() {
    this->retain();  // for all parts together
    for (std::size_t i = 0; i < futures_.size(); ++i) parts_[i].watch(this, i, futures_[i].state());
    part_done(0);
  }
  void part_done(std::size_t) {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (this->claim()) this->finish();
    this->release();
  }
  StateRef<> part_to_wait_for() override {
    while (waited_for_ < futures_.size() && futures_[waited_for_].ready()) ++waited_for_;
    return waited_for_ < futures_.size() ? StateRef<>::share(&futures_[waited_for_].state()) : StateRef<>();
  }
  void materialize() override {
    std::vector<T> values;
    values.reserve(futures_.size());
    for (auto& future : futures_) values.push_back(future.get());
    this->value.emplace(std::move(values));
  }

 private:
  std::vector<Future<T>> futures_;
  std::vector<Part<AllState>> parts_;
  std::atomic<std::size_t> left_;
  std::size_t waited_for_ = 0;  // all futures before it are ready
};

template <class... T>
class TupleState final : public ResultState<std::tuple<T...>> {
 public:
  explicit TupleState(Future<T>... futures) : futures_(std::move(futures)...) {}
  void watch() {
    this->retain();  // for all parts together
    [this]<std::size_t... I>(std::index_sequence<I...>) {
      (parts_[I].watch(this, I, std::get<I>(futures_).state()), ...);
    }
    (std::index_sequence_for<T...>{});
    part_done(0);
  }
  void part_done(std::size_t) {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (this->claim()) this->finish();
    this->release();
  }
  StateRef<> part_to_wait_for() override {
    StateRef<> part;
    const auto look_at = [&part](const auto& future) {
      if (!part && !future.ready()) part = StateRef<>::share(&future.state());
    };
    std::apply([&look_at](const auto&... futures) { (look_at(futures), ...); }, futures_);
    return part;
  }
  void materialize() override {
    std::apply([this](auto&... futures) { this->value.emplace(std::tuple<T...>{futures.get()...}); }, futures_);
  }

 private:
  std::tuple<Future<T>...> futures_;
  Part<TupleState> parts_[sizeof...(T)];
  std::atomic<std::size_t> left_{sizeof...(T) + 1};
};

}  // namespace detail

// What when_any gives: which future is ready, and all of them.
template <class T>
struct WhenAny {
  std::size_t index = 0;
  std::vector<Future<T>> futures;
};

namespace detail {

template <class T>
class AnyState final : public ResultState<WhenAny<T>> {
 public:
  explicit AnyState(std::vector<Future<T>> futures)
      : futures_(std::move(futures)), parts_(futures_.size()), left_(futures_.size() + 1) {}
  void watch() {
    this->retain();  // for all parts together
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].watch(this, i, futures_[i].state());
    part_gone();
  }
  void part_done(std::size_t index) {
    if (this->claim()) {
      index_ = index;
      this->finish();
    }
    part_gone();
  }
  void decode_value(Reader&) override {}
  void materialize() override { this->value.emplace(WhenAny<T>{index_, std::move(futures_)}); }

 private:
  void part_gone() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) this->release();
  }

  std::vector<Future<T>> futures_;
  std::vector<Part<AnyState>> parts_;
  std::atomic<std::size_t> left_;
  std::size_t index_ = 0;
};

// The indexes of several calls in the order of their outcomes. One thread watches and takes; any may complete.
class CompletionQueue {
 public:
  // Its index: they are counted from 0, and one that was given out comes again.
  std::size_t watch(CallState& state) {
    retain();
    if (free_.empty()) {
      free_.push_back(parts_.size());
      parts_.emplace_back();
    }
    const std::size_t index = free_.back();
    free_.pop_back();
    parts_[index].watch(this, index, state);
    return index;
  }
  // Those that were not given out yet.
  std::size_t left() const { return parts_.size() - free_.size(); }
  // Waits for the next one; nothing when none is left, or the time is over.
  std::optional<std::size_t> next(seam::Time deadline);
  // Waits for this one, of those that were not given out yet.
  std::size_t next_of(std::size_t index);
  bool waits_for(std::size_t index) const;

  void part_done(std::size_t index);  // gives up the part's reference
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  struct Release {
    void operator()(CompletionQueue* queue) const { queue->release(); }
  };
  using Owner = std::unique_ptr<CompletionQueue, Release>;  // parts that have no outcome yet keep it longer

 private:
  ~CompletionQueue() = default;
  // Waits until `take`, called with lock_, gives one; nothing: not in time.
  std::optional<std::size_t> next_by(const std::function<std::optional<std::size_t>()>& take, seam::Time deadline);

  std::deque<Part<CompletionQueue>> parts_;  // which stay where they are
  std::vector<std::size_t> free_;            // indexes of parts that watch nothing
  std::atomic<std::uint32_t> references_{1};
  seam::SpinLock lock_;  // guards what follows
  std::deque<std::size_t> done_;
  class Waiter* waiter_ = nullptr;
};

}  // namespace detail

// All values, in the order of the futures. Ready when every outcome is there; get throws the first error by index.
template <class T>
requires(!std::is_void_v<T>) Future<std::vector<T>> when_all(std::vector<Future<T>> futures) {
  detail::check_valid(futures);
  auto* const state = new detail::AllState<T>(std::move(futures));
  Future<std::vector<T>> future{detail::StateRef<detail::ResultState<std::vector<T>>>(state)};
  state->watch();
  return future;
}
template <class... T>
requires(sizeof...(T) > 0 && (!std::is_void_v<T> && ...)) Future<std::tuple<T...>> when_all(Future<T>... futures) {
  (static_cast<void>(futures.state()), ...);
  auto* const state = new detail::TupleState<T...>(std::move(futures)...);
  Future<std::tuple<T...>> future{detail::StateRef<detail::ResultState<std::tuple<T...>>>(state)};
  state->watch();
  return future;
}

// Ready when the first outcome is there, of at least one future.
template <class T>
Future<WhenAny<T>> when_any(std::vector<Future<T>> futures) {
  if (futures.empty()) throw UsageError("when_any of no future would never be ready. Give it at least one");
  detail::check_valid(futures);
  auto* const state = new detail::AnyState<T>(std::move(futures));
  Future<WhenAny<T>> future{detail::StateRef<detail::ResultState<WhenAny<T>>>(state)};
  state->watch();
  return future;
}

// A future that is ready, and its place among those given.
template <class T>
struct Completed {
  std::size_t index = 0;
  Future<T> future;
  T get() { return future.get(); }
};

// Several futures in the order in which they become ready:
//   for (auto& done : slipway::as_completed(std::move(futures))) use(done.index, done.get());
// One thread at a time.
template <class T>
class AsCompleted {
 public:
  explicit AsCompleted(std::vector<Future<T>> futures)
      : futures_(std::move(futures)), queue_(new detail::CompletionQueue) {
    for (const auto& future : futures_) queue_->watch(future.state());
  }

  std::size_t left() const { return queue_ ? queue_->left() : 0; }  // not given out yet

  // The next one; waits for it. Nothing when all have been given out.
  std::optional<Completed<T>> next() { return next_until(seam::never); }
  // Nothing also when the time is over first.
  std::optional<Completed<T>> next_for(std::chrono::nanoseconds duration) { return next_until(seam::after(duration)); }

  struct End {};
  class Iterator {
   public:
    explicit Iterator(AsCompleted& owner) : owner_(owner), current_(owner.next()) {}
    Completed<T>& operator*() { return *current_; }
    Completed<T>* operator->() { return &*current_; }
    Iterator& operator++() {
      current_ = owner_.next();
      return *this;
    }
    bool operator==(End) const { return !current_.has_value(); }

   private:
    AsCompleted& owner_;
    std::optional<Completed<T>> current_;
  };
  Iterator begin() { return Iterator(*this); }
  End end() const { return {}; }

 private:
  std::optional<Completed<T>> next_until(seam::Time deadline) {
    const auto index = queue_ ? queue_->next(deadline) : std::nullopt;
    if (!index) return std::nullopt;
    return Completed<T>{*index, std::move(futures_[*index])};
  }

  std::vector<Future<T>> futures_;
  detail::CompletionQueue::Owner queue_;
};

template <class T>
AsCompleted<T> as_completed(std::vector<Future<T>> futures) {
  detail::check_valid(futures);
  return AsCompleted<T>(std::move(futures));
}

}  // namespace slipway
