// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/tasks/argument.hpp"
#include "slipway/tasks/ref.hpp"
#include "slipway/tasks/task.hpp"
#include "slipway/tasks/task_function.hpp"
#include "slipway/tasks/task_options.hpp"

namespace slipway {
namespace detail {

// The refs that a result becomes: one, or one for each element of a tuple.
template <class R>
struct RefsTo {
  using Elements = TypeList<R>;
  using type = Ref<R>;
};
template <class... R>
struct RefsTo<std::tuple<R...>> {
  using Elements = TypeList<R...>;
  using type = std::tuple<Ref<R>...>;
};

// Of a member of a gang.
Gang& as_gang(TaskContext& context);

// Of a task with one result its ref, else the tuple.
template <class Result, class... R>
Result as_result(std::tuple<Ref<R>...> refs) {
  if constexpr (std::is_same_v<Result, std::tuple<Ref<R>...>>) {
    return refs;
  } else {
    return std::move(std::get<0>(refs));
  }
}

template <class Elements, auto Function, class... Stands>
class Task;
template <class... R, auto Function, class... Stands>
class Task<TypeList<R...>, Function, Stands...> final : public TaskBase {
  using Signature = SignatureOf<Function>;
  using Held = std::tuple<typename Stands::Held...>;

 public:
  template <class... Args>
  explicit Task(const On& on, Args&&... args)
      : TaskBase(TaskRow<Task>::entry(), on), held_(std::in_place, Stands::hold(std::forward<Args>(args))...) {}
  // One that another rank has sent.
  Task(Reader& reader, const ReplyTo& reply) : TaskBase(TaskRow<Task>::entry(), reader, reply), held_(std::in_place) {
    read_into(*held_, reader);
  }

  ~Task() override {
    if (held_) end_lineage();
  }

  // Once, before the start.
  std::tuple<Ref<R>...> make_objects() { return make_objects(std::index_sequence_for<R...>()); }

  // For the method table.
  static std::string_view function_name() { return pretty_task_name<Function>(); }
  using Values = typename Signature::Values;
  static void accept(Invocation& invocation) {
    Reader reader(invocation.body);
    auto* const task = new Task(reader, invocation.reply);
    static_cast<void>(task->make_objects());
    task->start();
  }

 private:
  Task(const Task& lost, std::uint32_t lost_attempts, Reader& arguments)
      : TaskBase(lost, lost_attempts), held_(std::in_place) {
    read_into(*held_, arguments);
  }
  Again copy(Reader& arguments, std::uint32_t lost_attempts, std::size_t result) const override {
    auto* const task = new Task(*this, lost_attempts, arguments);
    const auto refs = task->make_objects();
    ObjectPart* const object = task->objects_[result];
    object->add_ref();
    return {task, object};
  }

  template <std::size_t... I>
  std::tuple<Ref<R>...> make_objects(std::index_sequence<I...>) {
    return std::tuple<Ref<R>...>(make_object<R, I>()...);
  }
  template <class Result, std::size_t index>
  Ref<Result> make_object() {
    retain();
    auto* const object = new ObjectOf<Result>(id_of_result(index), this);
    describe(*object);
    object->retain_unshared();
    objects_[index] = object;
    return Ref<Result>(object);
  }

  void collect(RefCollector& collector) override {
    std::apply([&collector](const auto&... each) { (Stands::collect(each, collector), ...); }, *held_);
  }
  bool may_need_fetching() const override { return (Stands::large || ...); }
  std::span<ObjectPart*> objects() override { return objects_; }

  bool is_plain() const override { return (Stands::plain && ...); }
  bool gives_plain() const override { return (is_plain_result<R> && ...); }
  void write_arguments(Writer& writer) const override {
    std::apply([&writer](const auto&... each) { (Stands::write(writer, each), ...); }, *held_);
  }
  void read_arguments(Reader& reader) override {
    Held read;
    read_into(read, reader);  // before those that there are go: they keep the values of borrowed refs
    held_.emplace(std::move(read));
  }
  static void read_into(Held& held, Reader& reader) {
    std::apply([&reader](auto&... each) { (Stands::read(reader, each), ...); }, held);
    reader.finish();
  }
  void write_results(Writer& writer) override { write_results(writer, std::index_sequence_for<R...>()); }
  void read_results(Reader& reader) override { read_results(reader, std::index_sequence_for<R...>()); }
  bool results_may_stay() const override { return (may_stay<R> || ...); }
  void finish_objects() override {
    for (ObjectPart* const object : objects_) {
      if (object->state().claim()) object->state().finish();
    }
  }

  template <class Result>
  static constexpr bool is_plain_result = !DecodedLate<Result>;
  template <class Result, std::size_t index>
  ObjectOf<Result>& object_at() {
    return static_cast<ObjectOf<Result>&>(*objects_[index]);
  }
  template <std::size_t... I>
  void write_results(Writer& writer, std::index_sequence<I...>) {
    (write_result(writer, object_at<R, I>()), ...);
  }
  template <std::size_t... I>
  void read_results(Reader& reader, std::index_sequence<I...>) {
    (read_result(reader, object_at<R, I>()), ...);
  }
  // What is decoded late has its size before it.
  template <class Result>
  static void write_result(Writer& writer, ObjectOf<Result>& object) {
    if constexpr (may_stay<Result>) {
      if (keep_result(writer, object)) return;
    }
    if constexpr (DecodedLate<Result>) {
      const std::size_t begin = writer.begin_sized();
      object.encode_value(writer);
      writer.end_sized(begin);
    } else {
      object.encode_value(writer);
    }
  }
  template <class Result>
  static void read_result(Reader& reader, ObjectOf<Result>& object) {
    if (object.read_source(reader)) return;
    std::uint64_t size = 0;
    if constexpr (DecodedLate<Result>) reader.bytes(&size, sizeof size);
    object.take_value(reader, static_cast<std::size_t>(size));
  }
  void drop_arguments() override { held_.reset(); }

  void call(TaskContext& context) override {
    constexpr auto all = std::index_sequence_for<Stands...>();
    if constexpr (std::is_void_v<typename Signature::Returned>) {
      call_function(context, all);
      set<0>();
    } else if constexpr (std::is_same_v<TypeList<typename Signature::Result>, TypeList<R...>>) {
      set<0>(call_function(context, all));
    } else {
      auto results = call_function(context, all);
      set_all(results, std::index_sequence_for<R...>());
    }
  }
  template <std::size_t... I>
  decltype(auto) call_function([[maybe_unused]] TaskContext& context, std::index_sequence<I...>) {
    using Parameters = typename Signature::Parameters;
    constexpr auto function = as_function<Function>();
    if constexpr (takes_gang<Function>) {
      return function(as_gang(context),
                      as_passed<std::tuple_element_t<I, Parameters>>(Stands::resolve(std::get<I>(*held_)))...);
    } else if constexpr (Signature::takes_context) {
      return function(context, as_passed<std::tuple_element_t<I, Parameters>>(Stands::resolve(std::get<I>(*held_)))...);
    } else {
      return function(as_passed<std::tuple_element_t<I, Parameters>>(Stands::resolve(std::get<I>(*held_)))...);
    }
  }
  // A function that takes its parameter over gets a copy of what others see as well.
  template <class Parameter, class Value>
  static decltype(auto) as_passed(Value&& value) {
    if constexpr (std::is_rvalue_reference_v<Parameter> && std::is_lvalue_reference_v<Value>) {
      return std::remove_cvref_t<Parameter>(value);
    } else if constexpr (std::is_lvalue_reference_v<Value>) {
      return static_cast<Value&>(value);
    } else {
      return std::remove_cvref_t<Value>(std::move(value));
    }
  }
  template <class Results, std::size_t... I>
  void set_all(Results& results, std::index_sequence<I...>) {
    (set<I>(std::move(std::get<I>(results))), ...);
  }
  template <std::size_t index, class... Value>
  void set(Value&&... value) {
    auto& object = object_at<std::tuple_element_t<index, std::tuple<R...>>, index>();
    if constexpr (sizeof...(Value) > 0) object.value.emplace(std::forward<Value>(value)...);  // first: it may throw
    if (object.claim()) object.finish();
  }

  std::optional<Held> held_;
  std::array<ObjectPart*, sizeof...(R)> objects_{};
};

template <class Parameters>
struct CheckTaskParameters;
template <class... P>
struct CheckTaskParameters<std::tuple<P...>> {
  static_assert((is_value_parameter<P> && ...),
                "slipway: a task's function takes values or const references, no pointers or non-const references");
  static_assert((Transferable<std::remove_cvref_t<P>> && ...),
                "slipway: a parameter of the task's function cannot be sent (it is a view, holds pointers, or has no "
                "serialize())");
  template <class... A>
  static constexpr void check_arguments() {
    static_assert(sizeof...(A) == sizeof...(P),
                  "slipway: the task has another number of arguments than its function takes");
    if constexpr (sizeof...(A) == sizeof...(P)) {
      static_assert((Stand<std::remove_cvref_t<P>, A>::possible && ...),
                    "slipway: an argument of the task cannot stand for the function's parameter, or only by narrowing");
    }
  }
};

template <auto Function>
constexpr void check_function() {
  static_assert(
      requires { typename SignatureOf<Function>::Result; },
      "slipway: submit<&f> needs a free function, a static member or a lambda that captures nothing");
  if constexpr (requires { typename SignatureOf<Function>::Result; }) {
    using S = SignatureOf<Function>;
    static_assert(!std::is_reference_v<typename S::Returned> && !std::is_pointer_v<typename S::Result>,
                  "slipway: a task's function returns a value, not a reference or a pointer");
    if constexpr (!std::is_void_v<typename S::Result>) {
      static_assert(
          Transferable<typename S::Result>,
          "slipway: the result of the task's function cannot be sent (it is a view, holds pointers, or has no "
          "serialize())");
    }
  }
}

template <auto Function>
constexpr void check_task() {
  check_function<Function>();
  static_assert(!takes_gang<Function>,
                "slipway: a function that takes slipway::Gang& is started by slipway::gang, not by submit");
}

template <class Elements, auto Function, class Parameters, class... Args>
struct TaskFor;
template <class Elements, auto Function, class... P, class... Args>
struct TaskFor<Elements, Function, std::tuple<P...>, Args...> {
  using type = Task<Elements, Function, Stand<std::remove_cvref_t<P>, Args>...>;
};

template <auto Function, class... Args>
typename RefsTo<typename SignatureOf<Function>::Result>::type submit_task(const On& on, Args&&... args) {
  using S = SignatureOf<Function>;
  using Refs = RefsTo<typename S::Result>;
  CheckTaskParameters<typename S::Parameters>::template check_arguments<Args&&...>();
  using Made = typename TaskFor<typename Refs::Elements, Function, typename S::Parameters, Args&&...>::type;
  auto* const task = new Made(on, std::forward<Args>(args)...);
  auto refs = task->make_objects();
  task->start();
  return as_result<typename Refs::type>(std::move(refs));
}

}  // namespace detail

// A task: `Function` is called once its arguments are there, on whatever thread of the rank has time. Gives a ref to
// its result, or a tuple of refs to the elements of a tuple. Arguments are values, as in calls; a Ref<T>, and what
// `wait` gives, stands for a T, also inside vectors, optionals, tuples and, given as a tuple, for an aggregate. The
// first argument may be options: slipway::on({...}). Waits only while too many tasks are ready on this rank
// (--slipway-most-tasks). Any thread of a rank.
template <auto Function, class... Args>
auto submit(Args&&... args) {
  detail::check_task<Function>();
  return detail::submit_task<Function>(On(), std::forward<Args>(args)...);
}
template <auto Function, class... Args>
auto submit(On on, Args&&... args) {
  detail::check_task<Function>();
  return detail::submit_task<Function>(on, std::forward<Args>(args)...);
}

}  // namespace slipway
