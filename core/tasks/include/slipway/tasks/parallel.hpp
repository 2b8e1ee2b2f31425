// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/tasks/argument.hpp"
#include "slipway/tasks/ref.hpp"
#include "slipway/tasks/submit.hpp"
#include "slipway/tasks/task_context.hpp"
#include "slipway/tasks/wait.hpp"

// Loops over indexes as tasks of many indexes each, on top of submit and WaitSet.
namespace slipway {

struct LoopOptions {
  std::uint64_t chunk = 0;  // indexes a task; 0: so many that a task takes about 2 ms, by those that are over
  TaskOptions task = {};    // of each task
};
static_assert(std::is_trivially_destructible_v<LoopOptions>);

namespace detail {

// How many indexes the next task gets: few at first, when nothing is known of them, and at the end, so that all cores
// end at about the same time.
class ChunkSizes {
 public:
  ChunkSizes(std::uint64_t count, std::uint64_t fixed, std::size_t cores);

  std::uint64_t left() const { return count_ - next_; }
  // Its first index, and the one behind its last.
  std::pair<std::uint64_t, std::uint64_t> next();
  // So many indexes took so many nanoseconds.
  void note(std::uint64_t indexes, std::int64_t took);

 private:
  const std::uint64_t count_;
  const std::uint64_t fixed_;
  const std::uint64_t cores_;
  std::uint64_t next_ = 0;
  std::uint64_t indexes_ = 0;  // that are over
  std::int64_t took_ = 0;
};

// Of all ranks.
std::size_t cores_for_tasks();

// What one task of a loop has done.
template <class R>
struct LoopPart {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::int64_t took = 0;  // nanoseconds
  std::vector<R> results;
};

// Now and then. Throws Cancelled.
void end_if_unwanted(const TaskContext& task, std::uint64_t index);

// What its function takes after the index.
template <class Parameters>
struct SharedOf {
  static_assert(std::tuple_size_v<Parameters> != 0,
                "slipway: the function of a loop takes the index as its first parameter");
};
template <class Index, class... P>
struct SharedOf<std::tuple<Index, P...>> {
  static_assert(std::is_same_v<std::remove_cvref_t<Index>, std::uint64_t>,
                "slipway: the function of a loop takes the index, a std::uint64_t, as its first parameter");
  using type = TypeList<std::remove_cvref_t<P>...>;
};

template <auto Function, class Shared = typename SharedOf<typename SignatureOf<Function>::Parameters>::type>
struct Loop;
template <auto Function, class... P>
struct Loop<Function, TypeList<P...>> {
  static_assert(!SignatureOf<Function>::takes_context, "slipway: the function of a loop takes no TaskContext");
  using R = typename SignatureOf<Function>::Result;
  using Shared = std::tuple<Ref<P>...>;

  struct ForEach {
    using Result = int;
    static LoopPart<int> run(TaskContext& task, std::uint64_t first, std::uint64_t last, const P&... shared) {
      const seam::Time began = seam::now();
      for (std::uint64_t i = first; i < last; ++i) {
        end_if_unwanted(task, i);
        as_function<Function>()(i, shared...);
      }
      return {first, last, seam::now() - began, {}};
    }
  };
  struct Map {
    using Result = R;
    static LoopPart<R> run(TaskContext& task, std::uint64_t first, std::uint64_t last, const P&... shared) {
      const seam::Time began = seam::now();
      LoopPart<R> part{first, last, 0, {}};
      part.results.reserve(last - first);
      for (std::uint64_t i = first; i < last; ++i) {
        end_if_unwanted(task, i);
        part.results.push_back(as_function<Function>()(i, shared...));
      }
      part.took = seam::now() - began;
      return part;
    }
  };
  template <auto Reduce>
  struct MapReduce {
    using Result = R;
    static_assert(std::is_same_v<typename SignatureOf<Reduce>::Result, R>,
                  "slipway: map_reduce<Function, Reduce>: both return one type");
    static LoopPart<R> run(TaskContext& task, std::uint64_t first, std::uint64_t last, const P&... shared) {
      const seam::Time began = seam::now();
      R sum = as_function<Function>()(first, shared...);
      for (std::uint64_t i = first + 1; i < last; ++i) {
        end_if_unwanted(task, i);
        sum = as_function<Reduce>()(std::move(sum), as_function<Function>()(i, shared...));
      }
      LoopPart<R> part{first, last, 0, {}};
      part.results.push_back(std::move(sum));
      part.took = seam::now() - began;
      return part;
    }
  };

  // What all tasks are given lies in one place, however many they are.
  template <class... Args>
  static Shared share(Args&&... args) {
    static_assert(sizeof...(Args) == sizeof...(P),
                  "slipway: the loop has another number of arguments than its function takes after the index");
    if constexpr (sizeof...(Args) == sizeof...(P)) return Shared(share_one<P>(std::forward<Args>(args))...);
  }
  template <class T, class Argument>
  static Ref<T> share_one(Argument&& argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<Argument>, Ref<T>>) {
      return std::forward<Argument>(argument);
    } else {
      static_assert(takes_as_it_is<T, Argument>,
                    "slipway: an argument of the loop cannot stand for the function's parameter, or only by narrowing");
      return put(T(std::forward<Argument>(argument)));
    }
  }

  // For people: the name of the function, not that of the part.
  static On options_of_parts(const LoopOptions& options) {
    static const std::string name = function_name(pretty_task_name<Function>());
    TaskOptions task = options.task;
    if (!task.name) task.name = name.c_str();
    return on(task);
  }

  // Hands each part that is over to `take`, in whichever order they come. A failure ends the loop, once what is under
  // way is cancelled.
  template <class Part, class Take>
  static void run(const LoopOptions& options, std::uint64_t count, const Shared& shared, const Take& take) {
    const std::size_t cores = cores_for_tasks();
    const On on = options_of_parts(options);
    ChunkSizes sizes(count, options.chunk, cores);
    WaitSet<LoopPart<typename Part::Result>> parts;
    try {
      while (true) {
        while (sizes.left() > 0 && parts.left() < 2 * cores) {
          const auto range = sizes.next();  // no structured binding: Clang before 16 does not capture these
          const auto submit_part = [&](const auto&... each) {
            return submit<&Part::run>(on, range.first, range.second, each...);
          };
          parts.add(std::apply(submit_part, shared));
        }
        auto done = parts.next();
        if (!done) return;
        auto part = std::move(*done).value();
        sizes.note(part.last - part.first, part.took);
        take(std::move(part));
      }
    } catch (...) {
      for (const auto& ref : parts.refs()) cancel(ref);
      throw;
    }
  }
};

}  // namespace detail

// Function(index, args...) for each index below `count`, by tasks on all ranks. Waits for all of them. The first
// failure is thrown, as TaskError; tasks that run then are told to stop, and not waited for. An argument may be a ref;
// all tasks look at the same value. Any thread of a rank.
template <auto Function, class... Args>
void parallel_for(const LoopOptions& options, std::uint64_t count, Args&&... args) {
  using Loop = detail::Loop<Function>;
  Loop::template run<typename Loop::ForEach>(options, count, Loop::share(std::forward<Args>(args)...), [](auto&&) {});
}
template <auto Function, class... Args>
void parallel_for(std::uint64_t count, Args&&... args) {
  parallel_for<Function>(LoopOptions(), count, std::forward<Args>(args)...);
}

// The same, with what the function returns, in the order of the indexes.
template <auto Function, class... Args>
auto parallel_map(const LoopOptions& options, std::uint64_t count, Args&&... args) {
  using Loop = detail::Loop<Function>;
  using R = typename Loop::R;
  std::map<std::uint64_t, std::vector<R>> parts;
  Loop::template run<typename Loop::Map>(
      options, count, Loop::share(std::forward<Args>(args)...),
      [&](detail::LoopPart<R>&& part) { parts[part.first] = std::move(part.results); });
  std::vector<R> results;
  results.reserve(count);
  for (auto& [first, part] : parts) std::move(part.begin(), part.end(), std::back_inserter(results));
  return results;
}
template <auto Function, class... Args>
auto parallel_map(std::uint64_t count, Args&&... args) {
  return parallel_map<Function>(LoopOptions(), count, std::forward<Args>(args)...);
}

// Reduce(... Reduce(Reduce(start, Function(0, args...)), Function(1, args...)) ...), but grouped by tasks: Reduce must
// be associative. It need not be commutative. Where the grouping changes the last bits, as with sums of floating-point
// numbers, a fixed LoopOptions::chunk makes the result the same in every run.
template <auto Function, auto Reduce, class T, class... Args>
T map_reduce(const LoopOptions& options, std::uint64_t count, T start, Args&&... args) {
  using Loop = detail::Loop<Function>;
  using R = typename Loop::R;
  static_assert(std::is_same_v<T, R>, "slipway: map_reduce starts with a value of the type that its function returns");
  std::map<std::uint64_t, R> parts;
  Loop::template run<typename Loop::template MapReduce<Reduce>>(
      options, count, Loop::share(std::forward<Args>(args)...),
      [&](detail::LoopPart<R>&& part) { parts.emplace(part.first, std::move(part.results.front())); });
  for (auto& [first, part] : parts) start = detail::as_function<Reduce>()(std::move(start), std::move(part));
  return start;
}
template <auto Function, auto Reduce, class T, class... Args>
T map_reduce(std::uint64_t count, T start, Args&&... args) {
  return map_reduce<Function, Reduce>(LoopOptions(), count, std::move(start), std::forward<Args>(args)...);
}

}  // namespace slipway
