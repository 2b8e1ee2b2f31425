// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/node_slot.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "endpoint_parts.hpp"
#include "slipway/rpc/async.hpp"

namespace slipway::detail {

NodeSlot::NodeSlot(Endpoint& endpoint_, NodeId id_, std::string label_, const std::type_info& type_,
                   Admission admission_, std::uint32_t ranks)
    : endpoint(endpoint_),
      id(id_),
      label(std::move(label_)),
      type(type_),
      admission(admission_),
      mailbox(std::max(1U, admission_.concurrency)),
      unreported(std::make_unique<std::atomic<std::uint64_t>[]>(ranks)) {}

void NodeSlot::construct_done(void* constructed) {
  object = constructed;
  if (mailbox.open()) schedule();
}

namespace {

// Each of them may be gone afterwards.
template <class F>
void for_each(Entry* entry, const F& f) {
  while (entry) {
    Entry* const next = entry->next;
    f(*entry);
    entry = next;
  }
}

}  // namespace

void NodeSlot::close(const char* reason) {
  closed_reason.store(reason, std::memory_order_release);
  drop_if_closed();
}

// Asked after each push: what comes while the node closes is seen by one of the two.
bool NodeSlot::drop_if_closed() {
  const char* const reason = closed_reason.load(std::memory_order_acquire);
  if (!reason) return false;
  for_each(mailbox.close(), [reason](Entry& entry) { entry.drop(reason); });
  return true;
}

void NodeSlot::abandon() {
  for_each(mailbox.close(), [](Entry& entry) { entry.abandon(); });
}

void NodeSlot::admit(Entry* entry) {
  const bool wants_token = mailbox.push(entry);
  if (!drop_if_closed() && wants_token) schedule();
}

void NodeSlot::admit_quietly(Entry* entry) {
  const bool wants_token = mailbox.push(entry);
  if (drop_if_closed() || !wants_token) return;
  if (admission.own_thread) {
    schedule();
  } else if (admission.on_poller) {
    endpoint.parts().run_after_poll(*this);
  } else {
    endpoint.parts().pool.push_quietly(new Job([this] { run_token(); }));
  }
}

void NodeSlot::schedule() {
  if (!admission.own_thread) return endpoint.run_in_pool(new Job([this] { run_token(); }));
  own_tokens.fetch_add(1, std::memory_order_release);
  own_word.fetch_add(1, std::memory_order_release);
  seam::wake(own_word);
}

void NodeSlot::run_token() {
  if (Entry* const entry = mailbox.begin()) run_active(entry);
}

void NodeSlot::run_active(Entry* entry) {
  while (entry) {
    const Entry::Step step = entry->run(*this);
    if (step == Entry::Step::suspended) settle_suspended();
    if (step != Entry::Step::finished) return;
    entry = mailbox.next();
  }
}

void NodeSlot::strand_returned() {
  if (mailbox.leave()) schedule();
}

void NodeSlot::began(Activity& activity) {
  const std::lock_guard guard(running_lock_);
  running_.push_back(&activity);
}

void NodeSlot::ended(Activity& activity) {
  const std::lock_guard guard(running_lock_);
  const auto found = std::find(running_.rbegin(), running_.rend(), &activity);
  if (found != running_.rend()) running_.erase(std::next(found).base());
}

}  // namespace slipway::detail
