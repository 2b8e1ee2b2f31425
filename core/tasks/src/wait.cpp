// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/wait.hpp"

#include "task_system_parts.hpp"

namespace slipway::detail {

std::optional<std::size_t> next_outcome(CompletionQueue& queue, seam::Time deadline) {
  Endpoint& endpoint = Endpoint::of_this_thread();
  TaskSystem* const tasks = endpoint.tasks();
  return tasks ? tasks->parts().waits.next(queue, activity_of_this_thread(endpoint), deadline) : queue.next(deadline);
}

Outcome outcome_of(const std::exception_ptr& error) {
  if (!error) return Outcome::ok;
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return Outcome::cancelled;
  } catch (const PeerLost&) {
    return Outcome::lost;
  } catch (const Stopped&) {
    return Outcome::lost;
  } catch (...) {
    return Outcome::failed;
  }
}

}  // namespace slipway::detail
