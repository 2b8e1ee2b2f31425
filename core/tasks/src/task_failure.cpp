// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// How the refs of a task fail, and what their errors say.
#include <fmt/format.h>

#include <string>

#include "slipway/tasks/task.hpp"
#include "slipway/tasks/task_error.hpp"
#include "slipway/tasks/task_system.hpp"

namespace slipway::detail {

void TaskBase::fail_objects(const std::exception_ptr& error, Expected expected) {
  for (ObjectPart*& object : objects()) {
    lock_.lock();
    const StateRef<> state = object ? StateRef<>::share(&object->state()) : StateRef<>();
    lock_.unlock();
    if (!state || !state->claim()) continue;
    if (expected == Expected::yes) state->ignore_errors();
    state->fail(error);
  }
}

std::exception_ptr TaskBase::cancelled_error(HandlerRan ran) const {
  return std::make_exception_ptr(Cancelled(fmt::format("task {} was cancelled", path()), ran));
}

std::exception_ptr TaskBase::own_error(const std::exception_ptr& thrown) const {
  const RemoteFailure failure = describe_exception(thrown);
  const std::uint32_t rank = system_.endpoint().rank().value();
  const std::string tries = attempt() > 1 ? fmt::format(" in attempt {}", attempt()) : "";
  return std::make_exception_ptr(
      TaskError(fmt::format("task {} failed on rank {}{}: {}: {}", path(), rank, tries, failure.type, failure.text),
                {failure.type, failure.text, path(), rank, attempt()}, HandlerRan::yes));
}

std::exception_ptr TaskBase::error_of_input() const {
  const std::exception_ptr cause = failed_input_.load(std::memory_order_acquire)->state().error();
  const auto text_of = [this](const char* what) {
    return fmt::format("task {} was not run, since a value that it needs has failed: {}", path(), what);
  };
  try {
    std::rethrow_exception(cause);
  } catch (const TaskError& error) {
    return std::make_exception_ptr(TaskError(text_of(error.what()), error.failure(), HandlerRan::no));
  } catch (const Stopped& error) {
    return std::make_exception_ptr(Stopped(text_of(error.what())));
  } catch (const Cancelled& error) {
    return std::make_exception_ptr(Cancelled(text_of(error.what()), HandlerRan::no));
  } catch (const PeerLost& error) {
    return std::make_exception_ptr(PeerLost(text_of(error.what()), HandlerRan::no, error.rank()));
  } catch (...) {
    return cause;
  }
}

}  // namespace slipway::detail
