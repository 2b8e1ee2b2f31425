// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Values that are not where their object is: where they lie, and how they get here.
#include "located.hpp"

#include <chrono>

#include "lineage.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/future.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

Elsewhere::~Elsewhere() {
  if (ObjectPart* const source = object.load(std::memory_order_acquire)) source->drop_ref();
}

ObjectPart& ObjectPart::located() {
  ObjectPart* at = this;
  while (ObjectPart* const next = at->source()) at = next;
  return *at;
}

bool ObjectPart::set_source(ObjectPart* source, std::uint64_t bytes) {
  Elsewhere& where = *elsewhere();
  where.bytes.store(bytes, std::memory_order_relaxed);
  ObjectPart* none = nullptr;
  return where.object.compare_exchange_strong(none, source, std::memory_order_acq_rel);
}

ObjectPart& ObjectPart::fetch() {
  while (true) {
    ObjectPart& at = located();
    if (!at.state().done()) {
      at.want();
      static_cast<void>(await_outcome_for(at.state(), std::chrono::nanoseconds::max()));
    } else if (at.is_lost()) {
      recover(*this, at);
    } else {
      at.state().rethrow();
      if (!at.source()) return at;
    }
  }
}

bool keep_result(Writer& writer, ObjectPart& result) {
  std::uint64_t bytes = result.known_size();
  if (bytes == ObjectPart::unknown_size) {
    Writer measured;
    result.encode_value(measured);
    bytes = measured.body().size();
  }
  const bool stays = bytes >= Endpoint::of_this_thread().tasks()->parts().stays_from;
  if (stays) {
    result.add_first_ref();
    write_source(writer, result, bytes);
    result.drop_ref();
  } else {
    encode(writer, std::uint64_t{0});
  }
  return stays;
}

void write_source(Writer& writer, ObjectPart& object, std::uint64_t bytes) {
  encode(writer, bytes);
  write_ref(writer, &object);
}

void write_no_source(Writer& writer, ObjectPart& object) {
  if (object.elsewhere()) encode(writer, std::uint64_t{0});
}

}  // namespace slipway::detail
