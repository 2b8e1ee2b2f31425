// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/tasks/submit.hpp"
#include "slipway/tasks/task_context.hpp"
#include "slipway/tasks/task_options.hpp"

// A task that needs several ranks together, for example a parallel solver that exists already.
namespace slipway {

// What a member of a gang knows: it is made when all of them are there. A function that is to run as a gang takes it as
// its first parameter:
//   double solve(slipway::Gang& gang, const Field& start);
// Lives as long as the call.
class Gang : public TaskContext {
 public:
  explicit Gang(detail::TaskBase& task);  // waits for the others

  std::uint32_t rank() const { return member_; }  // of this member, from 0
  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  const std::vector<RankId>& ranks() const { return ranks_; }  // of the program, by member

  // Over the members, of the library that moves messages; empty: it has none. See mpi_communicator.
  const std::any& communicator() const;

 private:
  const std::uint32_t member_;
  const std::vector<RankId> ranks_;
  std::shared_ptr<const std::any> communicator_;
};

namespace detail {

// The tasks of a gang until all are submitted.
class GangInTheMaking {
 public:
  // Throws UsageError for what can never be.
  GangInTheMaking(const On& on, std::uint32_t size);
  ~GangInTheMaking();
  GangInTheMaking(const GangInTheMaking&) = delete;
  GangInTheMaking& operator=(const GangInTheMaking&) = delete;

  void add(TaskBase& task) { tasks_.push_back(&task); }
  void start();

 private:
  std::vector<TaskBase*> tasks_;
};

template <auto Function, class... Args>
auto submit_gang(const On& on, std::uint32_t size, const Args&... args) {
  using S = SignatureOf<Function>;
  using Refs = RefsTo<typename S::Result>;
  CheckTaskParameters<typename S::Parameters>::template check_arguments<const Args&...>();
  using Made = typename TaskFor<typename Refs::Elements, Function, typename S::Parameters, const Args&...>::type;
  GangInTheMaking gang(on, size);
  std::vector<typename Refs::type> results;
  for (std::uint32_t member = 0; member < size; ++member) {
    auto* const task = new Made(on, args...);
    gang.add(*task);
    results.push_back(as_result<typename Refs::type>(task->make_objects()));
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
