// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "slipway/rpc/call.hpp"
#include "slipway/tasks/task_node.hpp"

namespace slipway::detail {

// What this thread does for the runtime, amid user code: user code's ids, order and deadlines do not see it.
class SystemActivity {
 public:
  explicit SystemActivity(Endpoint& endpoint) : scope_(endpoint, activity_) {
    static std::atomic<std::uint64_t> count{0};
    activity_.id = activity_.chain = child_id(child_id(endpoint.settings().program, ~std::uint64_t{1}),
                                              count.fetch_add(1, std::memory_order_relaxed));
    activity_.doing = "the scheduler of tasks";
  }

 private:
  Activity activity_;
  const ActivityScope scope_;
};

// One way, to another rank. Waits for room in the node's window, if there is none. After the end of the run: nothing.
template <auto Method, class... Args>
void tell(Endpoint& endpoint, NodeId node, const Args&... args) {
  const SystemActivity activity(endpoint);
  const CallSetup setup{.node = node, .method = &MethodRow<TaskNode, Method>::entry()};
  constexpr seam::Time pause = 1'000'000;
  while (true) {
    try {
      static_cast<void>(dispatch_now<TaskNode, Method>(endpoint, setup, nullptr, args...));
      return;
    } catch (const Stopped&) {  // the rank that would hear it ends as well
      return;
    } catch (const CallError&) {  // no room, and no way to wait for it now
      seam::sleep_until(seam::now() + pause);
    }
  }
}

// With an answer, which this thread waits for. Throws what calls throw.
template <auto Method, class... Args>
ResultOf<Method> ask(Endpoint& endpoint, NodeId node, Args&&... args) {
  const SystemActivity activity(endpoint);
  const CallSetup setup{.node = node, .method = &MethodRow<TaskNode, Method>::entry()};
  StateRef<ResultState<ResultOf<Method>>> state(new ResultState<ResultOf<Method>>);
  state->retain_unshared();
  static_cast<void>(dispatch_now<TaskNode, Method>(endpoint, setup, state.get(), std::forward<Args>(args)...));
  return Future<ResultOf<Method>>(std::move(state)).get();
}

}  // namespace slipway::detail
