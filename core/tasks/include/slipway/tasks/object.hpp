// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "slipway/rpc/execution.hpp"

namespace slipway::detail {

class TaskBase;

// What is known of a value that refs name, whatever its type. It lives as long as its CallState, of which all refs
// together hold one reference: they are counted here, since a value may have more refs than the state can count.
class ObjectPart {
 public:
  // `maker`: one reference to the task is taken over; nullptr: a value from `put`. Born with one ref.
  ObjectPart(std::uint64_t id, TaskBase* maker) : id_(id), maker_(maker) {}
  ObjectPart(const ObjectPart&) = delete;
  ObjectPart& operator=(const ObjectPart&) = delete;

  virtual CallState& state() = 0;
  std::uint64_t id() const { return id_; }
  TaskBase* maker() const { return maker_; }

  void add_ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void drop_ref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) state().release();
  }
  bool is_only_ref() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  ~ObjectPart();
  // On this thread: the task that makes it, and before it what that one lacks, as far as nobody has begun on it.
  bool run_maker() const;
  std::string describe_maker() const;

 private:
  std::atomic<std::uint32_t> refs_{1};
  const std::uint64_t id_;
  TaskBase* const maker_;
};

// The value itself, where it was made. Written once, by the task; read by everybody once it is there.
template <class T>
class ObjectOf final : public ResultState<T>, public ObjectPart {
 public:
  using ObjectPart::ObjectPart;
  CallState& state() override { return *this; }
  bool run_here() override { return run_maker(); }
  std::string describe() const override { return describe_maker(); }
};

}  // namespace slipway::detail
