// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"

#include <memory>
#include <optional>

#include "lineage.hpp"
#include "located.hpp"
#include "reply.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/runnable.hpp"
#include "slipway/tasks/outcome.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

// So many times as large as a value that stays where it was made: the way over another rank takes a round trip more.
constexpr std::size_t worth_a_tree = 16;

class Answer final : public Continuation, public Runnable {
 public:
  Answer(const ReplyTo& reply, ObjectPart& object, Asked asked) : reply_(reply), object_(object), asked_(asked) {}
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  // What this rank has borrowed itself it may have to ask for, which may wait.
  void start() {
    if (object_.is_borrowed()) {
      reply_.endpoint->run_beside(this);
    } else if (!object_.state().attach(*this)) {
      answer_soon();
    }
  }
  void notify(CallState&) override { reply_.endpoint->run_beside(this); }
  void execute() override {
    while (!say()) {
    }
  }

 private:
  ~Answer() override { object_.drop_ref(); }

  // At once where it takes no time and runs no user code.
  void answer_soon() {
    const bool is_short =
        object_.state().failed() || (!object_.source() && object_.known_size() <= largest_inline_value);
    if (is_short) {
      static_cast<void>(say());
    } else {
      reply_.endpoint->run_beside(this);
    }
  }
  // On the thread that receives, or, of a value that may be elsewhere, on one of the pool. False: not yet, look again.
  bool say() {
    if (!object_.state().done()) {
      object_.want();
      return object_.state().attach(*this);
    }
    ObjectPart& at = object_.state().failed() ? object_ : object_.located();
    if (at.state().done() && at.is_lost()) {
      recover(object_, at);
      return false;
    }
    if (!at.state().done() && (at.is_copy() || !at.is_borrowed())) {  // it is on its way here, or made again
      at.want();
      return at.state().attach(*this);
    }
    try {
      at.state().failed() ? say_failure(at) : at.state().done() ? say_value(at) : say_where(at);
    } catch (...) {  // the user's own serialize threw, or the run ends
      reply_.fail(std::current_exception(), HandlerRan::yes);
    }
    delete this;
    return true;
  }
  void say_failure(ObjectPart& at) {
    const std::exception_ptr error = at.state().error();
    reply_with(
        reply_, false, [&error](Writer& writer) { write_failure(writer, error); }, nullptr);
  }
  void say_where(ObjectPart& at) {
    const auto write = [&](Writer& writer) {
      write_success(writer);
      write_source(writer, at, object_.elsewhere()->bytes);
    };
    reply_with(reply_, false, write, nullptr);
  }
  // Of a large value, who has asked for it before.
  std::optional<RankId> reader_for(std::size_t bytes) {
    TaskSystemParts& parts = reply_.endpoint->tasks()->parts();
    const bool is_large = bytes != ObjectPart::unknown_size && bytes / worth_a_tree >= parts.stays_from;
    if (asked_ == Asked::again || !is_large) return std::nullopt;
    return parts.objects.add_reader(object_.id(), reply_.rank);
  }
  void say_value(ObjectPart& at) {
    const std::size_t bytes = at.known_size();
    if (const auto reader = reader_for(bytes)) return say_reader(*reader, bytes);
    reply_.endpoint->tasks()->parts().values_given.fetch_add(1, std::memory_order_relaxed);
    const auto write = [&at](Writer& writer) {
      write_success(writer);
      write_no_source(writer, at);
      at.encode_value(writer);
    };
    const auto keep = [this]() -> std::shared_ptr<void> {
      object_.add_ref();
      return std::shared_ptr<void>(&object_, [](ObjectPart* object) { object->drop_ref(); });
    };
    reply_with(reply_, at.encodes_by_library(), write, keep);
  }

  void say_reader(RankId reader, std::uint64_t bytes) {
    const auto write = [&](Writer& writer) {
      write_success(writer);
      encode(writer, bytes | at_reader);
      encode(writer, reader.value());
    };
    reply_with(reply_, false, write, nullptr);
  }

  ReplyTo reply_;
  ObjectPart& object_;
  const Asked asked_;
};

}  // namespace

void answer(const ReplyTo& reply, ObjectPart& object, Asked asked) { (new Answer(reply, object, asked))->start(); }

}  // namespace slipway::detail
