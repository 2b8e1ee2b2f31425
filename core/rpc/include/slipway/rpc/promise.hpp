// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include "slipway/rpc/future.hpp"

namespace slipway {

// A future that this rank's own code completes: what a handler waits for until other calls have come. Movable, not
// copyable. `set` and `fail`: any thread, once; who waits goes on in its own place, never inside set. Destroyed without
// either, the future fails with Cancelled.
template <class T>
class Promise {
 public:
  Promise() : state_(new detail::ResultState<T>) {}
  Promise(Promise&&) noexcept = default;
  Promise& operator=(Promise&&) noexcept = default;
  ~Promise() {
    if (state_) fail(std::make_exception_ptr(Cancelled("a promise was dropped before it was set", HandlerRan::no)));
  }

  // Once.
  Future<T> future() { return Future<T>(detail::StateRef<detail::ResultState<T>>::share(state_.get())); }

  template <class... Value>
  void set(Value&&... value) {
    if (!state_->claim()) return;
    if constexpr (sizeof...(Value) > 0) state_->value.emplace(std::forward<Value>(value)...);
    state_->finish();
  }
  void fail(std::exception_ptr error) {
    if (state_->claim()) state_->fail(std::move(error));
  }

 private:
  detail::StateRef<detail::ResultState<T>> state_;
};

}  // namespace slipway
