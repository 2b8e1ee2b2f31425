// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "slipway/base/seam.hpp"
#include "slipway/rpc/execution.hpp"
#include "slipway/rpc/future.hpp"
#include "slipway/rpc/method.hpp"
#include "slipway/tasks/argument.hpp"
#include "slipway/tasks/ref.hpp"
#include "slipway/tasks/task_node.hpp"

// The values of a stream on the rank that wants them.
namespace slipway {

// The outcome of a ref to the next value of a stream that has no more.
class StreamEnd final : public Cancelled {
 public:
  StreamEnd() : Cancelled("the stream has ended", HandlerRan::yes) {}
};

namespace detail {

// Where the values of a stream go.
struct StreamTarget {
  std::uint64_t stream = 0;
  std::uint32_t rank = 0;
  std::uint32_t ahead = 1;
};

// Whatever the type of its values. Any thread.
class StreamBase : public std::enable_shared_from_this<StreamBase> {
 public:
  StreamBase(const std::type_info& type, std::uint32_t ahead);
  StreamBase(const StreamBase&) = delete;
  StreamBase& operator=(const StreamBase&) = delete;
  virtual ~StreamBase() = default;

  const StreamTarget& target() const { return target_; }
  const std::type_info& type() const { return type_; }
  // From now on values find it.
  void enlist();
  // It ends when this task does.
  void end_with(const Ref<void>& task);
  // nullptr: this rank has no such stream any more.
  static std::shared_ptr<StreamBase> find(std::uint64_t id);

 protected:
  virtual void end(const std::exception_ptr& failure) = 0;  // nullptr: it went well
  void forget();

 private:
  friend class StreamWatch;
  const std::type_info& type_;
  TaskSystem& system_;
  StreamTarget target_;
};

// Says whether the value is wanted.
void answer_yield(ReplyTo& reply, bool wanted);

template <class T>
class StreamState final : public StreamBase {
 public:
  static std::shared_ptr<StreamState> make(std::uint32_t ahead);
  explicit StreamState(std::uint32_t ahead) : StreamBase(typeid(T), ahead) {}

  // The value of that number has come, perhaps before others; the answer waits while there are too many.
  void give(std::uint64_t number, Ref<T> value, const ReplyTo& reply) {
    lock_.lock();
    const bool abandoned = abandoned_;
    if (!abandoned) early_.emplace(number, Given{std::move(value), reply});
    lock_.unlock();
    if (abandoned) {
      ReplyTo unwanted = reply;
      return answer_yield(unwanted, false);
    }
    while (take_in()) {
    }
  }

  // A ref to the next one, which may be still to come.
  Ref<T> take() {
    const Ref<T> ref(new ObjectOf<T>(child_id(target().stream, taken_++), nullptr));
    ref.object().info.endpoint = &Endpoint::of_this_thread();
    Ref<T> value;
    std::optional<ReplyTo> let_go;
    std::exception_ptr ended;
    {
      const std::lock_guard guard(lock_);
      if (!values_.empty()) {
        value = std::move(values_.front());
        values_.pop_front();
        if (!held_.empty()) {
          let_go = held_.front();
          held_.pop_front();
        }
      } else {
        ended = ended_;
        if (!ended) awaited_.push_back(ref);
      }
    }
    if (value) fulfil(ref, value);
    if (ended) fail(ref, ended);
    if (let_go) answer_yield(*let_go, true);
    return ref;
  }

  void abandon() {
    std::deque<ReplyTo> held;
    std::deque<Ref<T>> values;
    std::map<std::uint64_t, Given> early;
    {
      const std::lock_guard guard(lock_);
      abandoned_ = true;
      held.swap(held_);
      values.swap(values_);
      early.swap(early_);
    }
    for (ReplyTo& each : held) answer_yield(each, false);
    for (auto& [number, given] : early) answer_yield(given.reply, false);
    forget();
  }

 private:
  struct Given {
    Ref<T> value;
    ReplyTo reply;
  };

  // The value whose turn it is, if it has come. False: it has not.
  bool take_in() {
    std::optional<Ref<T>> awaited;
    std::optional<Given> given;
    bool answer_now = true;
    {
      const std::lock_guard guard(lock_);
      if (early_.empty() || early_.begin()->first != next_number_) return false;
      ++next_number_;
      given = std::move(early_.begin()->second);
      early_.erase(early_.begin());
      if (!awaited_.empty()) {
        awaited = std::move(awaited_.front());
        awaited_.pop_front();
      } else {
        values_.push_back(given->value);
        answer_now = values_.size() <= target().ahead;
        if (!answer_now) held_.push_back(given->reply);
      }
    }
    if (awaited) fulfil(*awaited, given->value);
    if (answer_now) answer_yield(given->reply, true);
    return true;
  }

  void end(const std::exception_ptr& failure) override {
    std::deque<Ref<T>> awaited;
    std::exception_ptr ended = failure ? failure : std::make_exception_ptr(StreamEnd());
    {
      const std::lock_guard guard(lock_);
      ended_ = ended;
      awaited.swap(awaited_);
    }
    for (const Ref<T>& each : awaited) fail(each, ended);
  }

  static void fail(const Ref<T>& ref, const std::exception_ptr& error) {
    ref.object().ignore_errors();
    if (ref.object().claim()) ref.object().fail(error);
  }
  static void fulfil(const Ref<T>& ref, const Ref<T>& value) {
    ObjectOf<T>& object = ref.object();
    if (!object.claim()) return;
    if constexpr (may_stay<T>) {
      value.object().add_ref();
      static_cast<void>(object.set_source(&value.object(), 1));
    } else {
      object.value.emplace(value.object().look());
    }
    object.finish();
  }

  std::uint64_t taken_ = 0;
  seam::SpinLock lock_;  // guards what follows
  std::uint64_t next_number_ = 0;
  std::map<std::uint64_t, Given> early_;  // came, and those before them did not
  std::deque<Ref<T>> values_;             // that nobody has taken
  std::deque<ReplyTo> held_;              // answers to the last of them
  std::deque<Ref<T>> awaited_;            // that were given out before their values came
  std::exception_ptr ended_;
  bool abandoned_ = false;
};

// How values come from other ranks.
template <class T>
struct StreamRow {
  MethodEntry entry;
  StreamRow() {
    entry.node_type = &typeid(TaskNode);
    entry.layout = ParameterLayout<std::tuple<T>>::value;
    entry.invoke = &accept;
    register_method(entry, typeid(StreamRow), "Method = give a value to a stream;");
  }
  static void accept(Invocation& invocation) {
    Reader reader(invocation.body);
    std::uint64_t id = 0;
    std::uint64_t number = 0;
    decode(reader, id);
    decode(reader, number);
    Ref<T> value;
    read_argument(reader, value);
    reader.finish();
    const auto found = StreamBase::find(id);
    if (!found) return answer_yield(invocation.reply, false);
    if (found->type() != typeid(T)) throw WireError("a value of another type than its stream (message damaged)");
    static_cast<StreamState<T>&>(*found).give(number, std::move(value), invocation.reply);
  }
  inline static StreamRow row;
};

template <class T>
std::shared_ptr<StreamState<T>> StreamState<T>::make(std::uint32_t ahead) {
  static_cast<void>(&StreamRow<T>::row);  // on every rank the table has its row
  auto state = std::make_shared<StreamState>(ahead);
  state->enlist();
  return state;
}

// `write` writes the value, for StreamRow::accept.
Future<bool> send_to_stream(const StreamTarget& target, std::uint64_t number, const MethodEntry& method,
                            const std::function<void(Writer&)>& write);
// The reply to a value that stays on this rank, and its future.
std::pair<ReplyTo, Future<bool>> reply_on_this_rank();
bool is_here(const StreamTarget& target);

template <class T>
Future<bool> give_to_stream(const StreamTarget& target, std::uint64_t number, const Ref<T>& value) {
  if (!is_here(target)) {
    return send_to_stream(target, number, StreamRow<T>::row.entry,
                          [&](Writer& writer) { write_argument(writer, value); });
  }
  auto [reply, answer] = reply_on_this_rank();
  if (const auto found = StreamBase::find(target.stream)) {
    static_cast<StreamState<T>&>(*found).give(number, value, reply);
  } else {
    answer_yield(reply, false);
  }
  return std::move(answer);
}

// Nothing where it has ended well, else the failure is thrown.
template <class T>
std::optional<Ref<T>> end_of_stream(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const StreamEnd&) {
    return std::nullopt;
  }
}

}  // namespace detail
}  // namespace slipway
