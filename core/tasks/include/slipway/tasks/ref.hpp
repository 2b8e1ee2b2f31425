// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "slipway/rpc/future.hpp"
#include "slipway/rpc/transferable.hpp"
#include "slipway/tasks/object.hpp"

namespace slipway {

template <class T>
class Ref;

namespace detail {

void cancel_maker(ObjectPart& object, bool children);
RankId rank_of(const ObjectPart& object);
RankId location_of(ObjectPart& object);
// The id of a value that the calling activity makes now.
std::uint64_t next_object_id();

}  // namespace detail

// Names a value that a task makes, or `put`: immutable, shared, perhaps not there yet. Copies are cheap, and each keeps
// the value alive. Different copies may be used by different threads at once. Stands for a T as an argument of
// `submit`.
template <class T>
class Ref {
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "slipway: Ref<T> takes a plain type");

 public:
  using value_type = T;
  using slipway_not_raw = void;
  using slipway_stands_for = T;  // as an argument of calls

  Ref() = default;
  explicit Ref(detail::ObjectOf<T>* object) : object_(object) {}  // takes over a ref
  Ref(const Ref& other) : object_(other.object_) {
    if (object_) object_->add_ref();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->drop_ref();
  }

  explicit operator bool() const { return object_ != nullptr; }
  // The same for the same program and seed, on any placement; unique in the run. 0: names nothing.
  std::uint64_t id() const { return object_ ? object_->id() : 0; }
  // The rank that owns the value. Throws UsageError for a ref that names nothing.
  RankId rank() const { return detail::rank_of(object()); }
  // The rank where the value lies, as far as it is known here; before that the same as rank().
  RankId location() const { return detail::location_of(object()); }
  // Its outcome is known here. Of a value on another rank this asks that rank, and so is false at first.
  bool ready() const {
    if (!object_) return false;
    object_->want();
    return object_->done();
  }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

  detail::ObjectOf<T>& object() const {
    if (!object_) throw UsageError("a ref that names nothing was used (a default one, or it was moved from)");
    return *object_;
  }
  // The same, to be waited for.
  detail::ObjectOf<T>& wanted() const {
    object().want();
    return *object_;
  }
  std::add_lvalue_reference_t<const T> slipway_wait() const;  // get, where it stands for its value
  void slipway_encode(Writer& writer) const { detail::write_ref(writer, object_); }
  void slipway_decode(Reader& reader) {
    const auto make = [](std::uint64_t id, RankId owner) -> detail::ObjectPart* {
      return new detail::ObjectOf<T>(id, owner);
    };
    *this = Ref(static_cast<detail::ObjectOf<T>*>(detail::read_ref(reader, typeid(T), make)));
  }

 private:
  detail::ObjectOf<T>* object_ = nullptr;
};

// The value, once it is there; valid as long as a ref to it lives. Throws TaskError when its task failed. Meanwhile the
// thread moves the rank's messages, and may run the very task it waits for: do not hold a lock that tasks take.
template <class T>
decltype(auto) get(const Ref<T>& ref) {
  detail::ObjectOf<T>& object = ref.wanted();
  if (object.done()) {
    object.rethrow();
  } else {
    detail::await_outcome(object);
  }
  if constexpr (!std::is_void_v<T>) return object.look();
}
template <class T>
std::add_lvalue_reference_t<const T> Ref<T>::slipway_wait() const {
  return get(*this);
}
// Of a ref that is given away: moved out if it was the last, else copied.
template <class T>
T get(Ref<T>&& ref) {
  const Ref<T> mine(std::move(ref));
  if constexpr (std::is_void_v<T>) {
    get(mine);
  } else {
    const T& value = get(mine);
    const bool alone = mine.object().take_for_itself();
    if constexpr (std::is_copy_constructible_v<T>) {
      if (!alone) return value;
    } else if (!alone) {
      throw UsageError(
          "a value that cannot be copied was taken while other refs to it live. Use get(ref), which looks at it");
    }
    return mine.object().take();
  }
}

struct CancelOptions {
  // All tasks that the task has submitted or will submit, and theirs, are dropped or told as well; within the 64 levels
  // of tasks that are kept in paths.
  bool children = false;
};

// Nobody wants the value any more: if it is not there, its outcome becomes Cancelled now, as that of all other results
// of its task does. A task that has not begun is dropped; one that runs is told by TaskContext::stop_requested, and
// goes on.
template <class T>
void cancel(const Ref<T>& ref, const CancelOptions& options = {}) {
  detail::cancel_maker(ref.object(), options.children);
}

// A ref to a value that is there already. It is moved in, or copied.
template <class T>
Ref<std::remove_cvref_t<T>> put(T&& value) {
  using Value = std::remove_cvref_t<T>;
  static_assert(Transferable<Value>,
                "slipway: this value cannot be put (it is a view, holds pointers, or has no serialize())");
  Ref<Value> ref(new detail::ObjectOf<Value>(detail::next_object_id(), nullptr));
  ref.object().value.emplace(std::forward<T>(value));
  static_cast<void>(ref.object().claim());
  ref.object().finish();
  return ref;
}

}  // namespace slipway
