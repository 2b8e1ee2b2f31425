// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// A task between two ranks: what is sent of it, the guest that comes of it there, and what comes back.
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "missing_values.hpp"
#include "reply.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/tasks/task.hpp"
#include "slipway/tasks/task_system.hpp"
#include "task_origin.hpp"
#include "task_path.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

// A path that goes from rank to rank must not grow for ever: its end says most.
std::string shortened(std::string path) {
  constexpr std::size_t longest = 2000;
  if (path.size() <= longest) return path;
  const std::size_t from = path.find(" > ", path.size() - longest);
  return from == std::string::npos ? path.substr(path.size() - longest) : "..." + path.substr(from);
}

}  // namespace

void TaskBase::write(Writer& writer) const {
  encode(writer, TaskHead{.id = id_,
                          .chain = chain_,
                          .priority = priority(),
                          .name = own_name_ ? own_name_ : "",
                          .path = shortened(parent_->text()),
                          .asks = asks() ? std::optional(*asks()) : std::nullopt,
                          .trace_level = trace_level_,
                          .retries = retries(),
                          .lost = times_lost(),
                          .seat = seat() ? std::optional(*seat()) : std::nullopt});
  write_arguments(writer);
}

std::unique_ptr<TaskOrigin> TaskOrigin::read(Reader& reader, const ReplyTo& reply) {
  auto origin = std::make_unique<TaskOrigin>();
  origin->reply = reply;
  decode(reader, origin->head);
  return origin;
}

TaskBase::TaskBase(const MethodEntry& function, Reader& reader, const ReplyTo& reply)
    : origin_(TaskOrigin::read(reader, reply)),
      trace_level_(origin_->head.trace_level),
      extras_(make_extras(origin_->head)),
      own_name_(origin_->head.name.empty() ? nullptr : origin_->head.name.c_str()),
      system_(TaskSystem::of_this_thread()),
      function_(function),
      id_(origin_->head.id),
      chain_(origin_->head.chain),
      parent_(new TaskPath(origin_->head.path, nullptr)) {}

TaskBase::Extras* TaskBase::make_extras(TaskHead& head) {
  if (!head.asks && head.priority == 0 && head.retries == 0 && head.lost == 0) return nullptr;
  auto extras = std::make_unique<Extras>();
  extras->asks = std::move(head.asks);
  extras->priority = head.priority;
  extras->retries = head.retries;
  extras->lost = head.lost;
  if (head.seat) extras->seat = std::make_unique<GangSeat>(std::move(*head.seat));
  return extras.release();
}

void TaskBase::send_outcome() {
  const auto write_head = [this](Writer& writer) {
    const std::uint32_t slots = system_.endpoint().settings().cpus;
    writer.bytes(&origin_->ran_for, sizeof origin_->ran_for);
    writer.bytes(&slots, sizeof slots);
  };
  const auto fail = [&](const std::exception_ptr& error) {
    const auto write = [&](Writer& writer) {
      write_head(writer);
      write_failure(writer, error);
    };
    reply_with(origin_->reply, false, write, nullptr);  // the texts are gone before they would have left
  };
  if (system_.parts().losses.takes_task()) {
    const std::uint32_t rank = system_.endpoint().rank().value();
    return fail(std::make_exception_ptr(
        PeerLost(fmt::format("task {} is lost with its rank {}", path(), rank), HandlerRan::maybe, rank)));
  }
  if (const std::exception_ptr error = failure_of_objects()) return fail(error);
  const auto write = [&](Writer& writer) {
    write_head(writer);
    write_success(writer);
    write_results(writer);
  };
  const auto keep = [this]() -> std::shared_ptr<void> {
    auto states = std::make_shared<std::vector<StateRef<>>>();
    for (ObjectPart* const object : objects()) states->push_back(StateRef<>::share(&object->state()));
    return states;
  };
  try {
    reply_with(origin_->reply, gives_plain(), write, keep);
  } catch (...) {  // the user's own serialize threw
    fail(own_error(std::current_exception()));
  }
}

std::exception_ptr TaskBase::failure_of_objects() {
  std::exception_ptr first;
  for (ObjectPart* const object : objects()) {
    while (!object->state().done()) seam::pause();  // who cancels it is about to say so
    const std::exception_ptr error = object->state().error();
    if (!first) first = error;
  }
  return first;
}

void TaskBase::came_back(const std::exception_ptr& error, std::uint64_t bytes) {
  if (error && may_run_again_after(error)) return run_again();
  if (!error) {
    if (results_may_stay() && !seat() && has_results_elsewhere()) need_extras().keeps_arguments = true;
    finish_objects();
  } else {
    fail_objects(error, stop_requested() ? Expected::yes : Expected::no);
  }
  const TaskEnd end = is_cancelled() ? TaskEnd::cancelled : error ? TaskEnd::failed : TaskEnd::ok;
  trace_end(TaskEvent::Kind::returned, end, bytes);
  leave();
}

}  // namespace slipway::detail
