// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "slipway/rpc/archive.hpp"
#include "slipway/tasks/stream_state.hpp"
#include "system_message.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

// Tells a stream that its task is over, although nobody may have the stream any more.
class StreamWatch final : public Continuation {
 public:
  explicit StreamWatch(std::shared_ptr<StreamBase> stream) : stream_(std::move(stream)) {}
  void notify(CallState& state) override {
    stream_->end(state.error());
    delete this;
  }

 private:
  std::shared_ptr<StreamBase> stream_;
};

StreamBase::StreamBase(const std::type_info& type, std::uint32_t ahead)
    : type_(type), system_(TaskSystem::of_this_thread()) {
  target_ = {.stream = next_object_id(), .rank = system_.endpoint().rank().value(), .ahead = std::max(1U, ahead)};
}

void StreamBase::enlist() { system_.parts().streams.add(target_.stream, weak_from_this()); }

void StreamBase::end_with(const Ref<void>& task) {
  auto* const watch = new StreamWatch(shared_from_this());
  if (!task.object().attach(*watch)) watch->notify(task.object());
}

std::shared_ptr<StreamBase> StreamBase::find(std::uint64_t id) {
  return TaskSystem::of_this_thread().parts().streams.find(id);
}

void StreamBase::forget() { system_.parts().streams.remove(target_.stream); }

void answer_yield(ReplyTo& reply, bool wanted) { reply_value(reply, bool(wanted)); }

bool is_here(const StreamTarget& target) { return Endpoint::of_this_thread().rank().value() == target.rank; }

Future<bool> send_to_stream(const StreamTarget& target, std::uint64_t number, const MethodEntry& method,
                            const std::function<void(Writer&)>& write) {
  Endpoint& endpoint = Endpoint::of_this_thread();
  const SystemActivity activity(endpoint);
  Writer writer;
  encode(writer, target.stream);
  encode(writer, number);
  write(writer);
  const CallSetup setup{.node = endpoint.tasks()->parts().tasks_node(RankId(target.rank)), .method = &method};
  StateRef<ResultState<bool>> state(new ResultState<bool>);
  state->retain_unshared();
  static_cast<void>(endpoint.call_remote(setup, state.get(), writer, nullptr));
  return Future<bool>(std::move(state));
}

std::pair<ReplyTo, Future<bool>> reply_on_this_rank() {
  StateRef<ResultState<bool>> state(new ResultState<bool>);
  state->retain_unshared();
  state->info.endpoint = &Endpoint::of_this_thread();
  const ReplyTo reply{.endpoint = state->info.endpoint, .state = state.get()};
  return {reply, Future<bool>(std::move(state))};
}

}  // namespace slipway::detail
