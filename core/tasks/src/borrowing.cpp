// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Refs and values between ranks: what is written of a ref, and how a borrower gets the value.
#include <fmt/format.h>

#include <utility>

#include "answer.hpp"
#include "lineage.hpp"
#include "object_table.hpp"
#include "reply.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/tasks/argument.hpp"
#include "slipway/tasks/task.hpp"
#include "system_message.hpp"
#include "task_system_parts.hpp"
#include "waiting.hpp"

namespace slipway::detail {

namespace {

thread_local bool may_wait = true;
thread_local bool as_they_are = false;

// What a ref is on the wire. No owner: it names nothing.
struct RefOnWire {
  std::uint64_t id = 0;
  std::uint64_t weight = 0;
  std::uint32_t owner = RankId::none;
};

struct AskTag {};
// To `values`: the outcome of a value that the receiver owns, or has borrowed from that owner.
void answer_ask(Invocation& invocation) {
  Reader reader(invocation.body);
  std::uint64_t id = 0;
  std::uint32_t owner = 0;
  decode(reader, id);
  decode(reader, owner);
  reader.finish();
  TaskSystem& system = static_cast<TaskNode*>(invocation.object)->system();
  TaskSystemParts& parts = system.parts();
  const RankId here = system.endpoint().rank();
  const bool is_owned = owner == here.value();
  ObjectPart* object = is_owned ? parts.objects.find_owned(id) : parts.objects.find_borrowed(RankId(owner), id);
  if (!object && is_owned)
    throw WireError("a value was asked for that is not here (message damaged, or its refs are all gone)");
  if (object && object->is_kept_for_others() && parts.losses.takes_value(id)) {
    object->drop_ref();
    object = nullptr;
  }
  if (object) return answer(invocation.reply, *object, is_owned ? Asked::first : Asked::again);
  reply_with(
      invocation.reply, false, [&](Writer& writer) { write_failure(writer, value_lost(here)); }, nullptr);
}
struct AskRow {
  MethodEntry entry;
  AskRow() {
    entry.node_type = &typeid(TaskNode);
    entry.invoke = &answer_ask;
    register_method(entry, typeid(AskTag), "Method = get a value of another rank;");
  }
};
AskRow ask_row;

void give_back_attached(const Writer::Attachment& attachment) {
  TaskSystemParts& parts = static_cast<TaskSystem*>(attachment.to)->parts();
  if (RankId(attachment.owner) == parts.endpoint().rank()) {
    parts.objects.take_back(attachment.what, attachment.amount);
  } else if (!parts.objects.add_weight(RankId(attachment.owner), attachment.what, attachment.amount)) {
    parts.mail.give_weight_back(RankId(attachment.owner), attachment.what, attachment.amount);
  }
}

std::uint64_t ask_for_weight(TaskSystem& system, const ObjectPart& object) {
  return ask<&TaskNode::more_weight>(system.endpoint(), system.parts().desk(object.owner()), object.id());
}

std::uint64_t weight_of_one(TaskSystem& system, ObjectPart& object) {
  while (true) {
    const std::uint64_t weight = system.parts().objects.give(object);
    if (weight != 0) return weight;
    if (!may_wait) throw WouldWait();
    static_cast<void>(system.parts().objects.add_weight(object.owner(), object.id(), ask_for_weight(system, object)));
  }
}

}  // namespace

MustNotWait::MustNotWait() { may_wait = false; }
MustNotWait::~MustNotWait() { may_wait = true; }

AsTheyAre::AsTheyAre() { as_they_are = true; }
AsTheyAre::~AsTheyAre() { as_they_are = false; }

bool ObjectPart::take_for_itself() {
  if (ObjectPart* const where = source()) return is_only_ref() && where->take_for_itself();
  if (!is_borrowed()) return is_only_ref();
  TaskSystemParts& parts = state().info.endpoint->tasks()->parts();
  const RankId from = owner();
  const auto weight = parts.objects.end_borrow_of_only_ref(*this);
  if (!weight) return false;
  parts.mail.give_weight_back(from, id_, *weight);
  return true;
}

void write_ref(Writer& writer, ObjectPart* object) {
  RefOnWire wire;
  if (object) {
    TaskSystem& system = TaskSystem::of_this_thread();
    wire.id = object->id();
    wire.owner = (object->is_borrowed() ? object->owner() : system.endpoint().rank()).value();
    wire.weight = weight_of_one(system, *object);
    writer.attach({&system, wire.owner, wire.id, wire.weight, &give_back_attached});
  }
  encode(writer, wire);
}

ObjectPart* read_ref(Reader& reader, const std::type_info& type, MakeBorrowed make) {
  RefOnWire wire;
  decode(reader, wire);
  if (wire.owner == RankId::none) return nullptr;
  TaskSystem& system = TaskSystem::of_this_thread();
  if (wire.owner >= system.endpoint().ranks()) throw WireError("a ref to a value of a rank that does not exist");
  ObjectTable& objects = system.parts().objects;
  ObjectPart* object = nullptr;
  if (RankId(wire.owner) == system.endpoint().rank()) {
    object = objects.find_owned(wire.id);
    if (!object) throw WireError("a ref to a value that is gone (message damaged, or decoded twice)");
    objects.take_back(wire.id, wire.weight);
  } else {
    object = objects.borrow(wire.id, RankId(wire.owner), wire.weight, make);
  }
  if (object->type() == type) return object;
  object->drop_ref();
  throw WireError("a ref to a value of another type (message damaged, or ranks run different programs)");
}

void write_argument_ref(Writer& writer, ObjectPart& object) {
  ObjectPart& at = object.located();
  const bool is_away = at.is_borrowed() && !at.is_copy() && !at.state().done();
  write_ref(writer, is_away && !as_they_are ? &at : &object);
}

RankId rank_of(const ObjectPart& object) {
  return object.is_borrowed() ? object.owner() : Endpoint::of_this_thread().rank();
}

RankId location_of(ObjectPart& object) {
  ObjectPart& at = object.located();
  return at.state().done() && !at.state().failed() ? Endpoint::of_this_thread().rank() : rank_of(at);
}

bool write_inline(Writer& writer, ObjectPart& object) {
  const bool is_large = !object.state().done() || object.state().failed() || object.source();
  const std::size_t known = is_large ? largest_inline_value + 1 : object.known_size();
  if (known <= largest_inline_value) {
    encode(writer, object.id());
    object.encode_value(writer);
    return true;
  }
  if (known == ObjectPart::unknown_size) {
    Writer value;
    object.encode_value(value);
    if (value.body().size() <= largest_inline_value) {
      encode(writer, object.id());
      writer.bytes(value.body().data(), value.body().size());
      writer.take_attachments(value);
      return true;
    }
  }
  encode(writer, std::uint64_t{0});
  return false;
}

std::uint64_t read_inline(Reader& reader) {
  std::uint64_t id = 0;
  decode(reader, id);
  return id;
}

bool ObjectPart::try_add_ref() {
  std::uint32_t refs = refs_.load(std::memory_order_relaxed);
  do {
    if (refs == 0) return false;
  } while (!refs_.compare_exchange_weak(refs, refs + 1, std::memory_order_acq_rel));
  return true;
}

void ObjectPart::drop_last_ref() {
  if (is_borrowed()) {
    TaskSystemParts& parts = state().info.endpoint->tasks()->parts();
    parts.mail.give_weight_back(owner(), id_, parts.objects.end_borrow(*this));
  } else if (!state().is_only_reference() && source() && can_be_made_again()) {
    let_value_go();
  }
  state().release();
}

void ObjectPart::ask_for() {
  if ((owner_.fetch_or(wanted, std::memory_order_acq_rel) & wanted) != 0) return;
  Endpoint& endpoint = *state().info.endpoint;
  const SystemActivity activity(endpoint);
  Writer writer;
  encode(writer, id_);
  encode(writer, is_copy() ? elsewhere()->copy_of : owner().value());
  const CallSetup setup{.node = endpoint.tasks()->parts().values_node(owner()), .method = &ask_row.entry};
  state().retain();
  try {
    static_cast<void>(endpoint.call_remote(setup, &state(), writer, nullptr));
  } catch (...) {  // no room, and no way to wait for it
    if (state().claim()) state().fail(std::current_exception());
  }
}

void cancel_maker(ObjectPart& object, bool children) {
  if (object.is_borrowed()) {
    TaskSystemParts& parts = object.state().info.endpoint->tasks()->parts();
    parts.tell_desk<&TaskNode::cancel_value>(object.owner(), object.id(), children);
  } else if (object.maker()) {
    object.maker()->cancel(children);
  }
}

}  // namespace slipway::detail
