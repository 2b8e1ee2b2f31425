// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "slipway/base/recycled.hpp"

namespace slipway::detail {

// A piece of work for a pool thread. `execute` disposes of it.
class Runnable : public recycled::Object {
 public:
  virtual ~Runnable() = default;
  virtual void execute() = 0;
  // While it awaits cores. False: it is executed without them, just to be disposed of.
  virtual bool is_wanted() const { return true; }
  Runnable* next = nullptr;
  std::int32_t cores = 0;  // that the pool has taken for it, see Pool::push_when_free
};

// How many cores what runs on a thread of the pool keeps busy while it does not wait.
struct BusyCores {
  std::int32_t all = 1;
  std::int32_t of_tasks = 0;
};

// A function as a piece of work.
template <class F>
class Job final : public Runnable {
 public:
  explicit Job(F f) : f_(std::move(f)) {}
  void execute() override {
    F f(std::move(f_));
    delete this;  // first: the work may take long
    f();
  }

 private:
  F f_;
};

}  // namespace slipway::detail
