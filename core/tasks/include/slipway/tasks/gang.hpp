// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/tasks/submit.hpp"
#include "slipway/tasks/task_context.hpp"
#include "slipway/tasks/task_options.hpp"

// A task that needs several ranks together, for example a solver written with MPI.
namespace slipway {

// What a member of a gang knows: it is made when all of them are there. A function that is to run as a gang takes it as
// its first parameter:
//   double solve(slipway::Gang& gang, const Field& start);
// Lives as long as the call.
class Gang : public TaskContext {
 public:
  explicit Gang(detail::TaskBase& task);
  ~Gang();

  std::uint32_t rank() const;  // of this member, from 0
  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  const std::vector<RankId>& ranks() const { return ranks_; }  // of the program, by member

  // An MPI_Comm over the members, with their numbers as its ranks; freed when the function returns, and never used by
  // slipway itself. Its errors are fatal, as MPI has it; what a member that threw had still to send, the others wait
  // for. Throws UsageError where ranks are threads of one process, and where MPI is not MPI_THREAD_MULTIPLE.
  template <class Communicator>  // a parameter, so that this header needs no MPI
  Communicator communicator() const {
    return *static_cast<const Communicator*>(find_communicator(typeid(Communicator)));
  }

 private:
  const void* find_communicator(const std::type_info& type) const;

  std::uint32_t member_ = 0;
  std::vector<RankId> ranks_;
  const std::type_info* communicator_type_;
  std::shared_ptr<const void> communicator_;  // nullptr: there is none
};

namespace detail {

// The tasks of a gang until all are submitted.
class GangInTheMaking {
 public:
  // Throws UsageError for what can never be.
  GangInTheMaking(On& on, std::uint32_t size);
  ~GangInTheMaking();
  GangInTheMaking(const GangInTheMaking&) = delete;
  GangInTheMaking& operator=(const GangInTheMaking&) = delete;

  void add(TaskBase& task) { tasks_.push_back(&task); }
  void start();

 private:
  std::vector<TaskBase*> tasks_;
};

template <class R>
auto ref_or_refs(std::tuple<Ref<R>> refs) {
  return std::move(std::get<0>(refs));
}
template <class... R>
requires(sizeof...(R) != 1) auto ref_or_refs(std::tuple<Ref<R>...> refs) { return refs; }

template <auto Function, class... Args>
auto submit_gang(On on, std::uint32_t size, const Args&... args) {
  using S = SignatureOf<Function>;
  using Refs = RefsTo<typename S::Result>;
  CheckTaskParameters<typename S::Parameters>::template check_arguments<const Args&...>();
  using Made = typename TaskFor<typename Refs::Elements, Function, typename S::Parameters, const Args&...>::type;
  GangInTheMaking gang(on, size);
  std::vector<typename Refs::type> results;
  for (std::uint32_t member = 0; member < size; ++member) {
    auto* const task = new Made(on, args...);
    gang.add(*task);
    if constexpr (std::is_same_v<typename Refs::type, decltype(task->make_objects())>) {
      results.push_back(task->make_objects());
    } else {
      results.push_back(std::move(std::get<0>(task->make_objects())));
    }
  }
  gang.start();
  return results;
}

}  // namespace detail

// `size` ranks together: `Function` is called once on each, on all at the same time, when its arguments are there and
// so many ranks have room; on as few hosts as possible. Gives what `submit` gives, once for each member, so that what a
// member returns may stay where it was made. Options hold for each member: on({.gpus = 1}) is one for each. A rank is
// in one gang at a time, and gangs begin in the order in which they came, so that none waits for ever; ranks go on with
// other tasks and calls. Arguments are copied for each member. If a member ends before it began (cancelled, a failed
// argument), so do all. Throws UsageError if there are never so many ranks with what a member asks for. Never waits.
template <auto Function, class... Args>
auto gang(std::uint32_t size, const Args&... args) {
  return gang<Function>(On(), size, args...);
}
template <auto Function, class... Args>
auto gang(On on, std::uint32_t size, const Args&... args) {
  detail::check_function<Function>();
  static_assert(detail::takes_gang<Function>,
                "slipway: a gang's function takes slipway::Gang& first, before the arguments");
  return detail::submit_gang<Function>(on, size, args...);
}

}  // namespace slipway
