// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/call_state.hpp"

#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/endpoint.hpp"

namespace slipway::detail {

CallState::~CallState() {
  if (error_ && !observed_ && info.endpoint) info.endpoint->report_unobserved(info, error_);
}

void CallState::finish() { close(); }

void CallState::fail(std::exception_ptr exception) {
  error_ = std::move(exception);
  close();
}

void CallState::close() {
  retain();  // a continuation may let go of the last other reference
  Continuation* list = link_.exchange(closed(), std::memory_order_acq_rel);
  if (list) {
    detach_lock_.lock();
    while (list) {
      Continuation* const continuation = list;
      list = list->next;
      continuation->notify(*this);
    }
    detach_lock_.unlock();
  }
  release();
}

bool CallState::attach(Continuation& continuation) {
  Continuation* head = link_.load(std::memory_order_acquire);
  do {
    if (head == closed()) return false;
    continuation.next = head;
  } while (!link_.compare_exchange_weak(head, &continuation, std::memory_order_acq_rel));
  return true;
}

bool CallState::detach(Continuation& continuation) {
  // Only waits that end before their call come here, so the list may be taken apart and put together again.
  detach_lock_.lock();
  Continuation* head = link_.load(std::memory_order_acquire);
  do {
    if (head == closed()) {
      detach_lock_.unlock();
      return false;
    }
  } while (!link_.compare_exchange_weak(head, nullptr, std::memory_order_acq_rel));
  bool found = false;
  while (head) {
    Continuation* const each = head;
    head = head->next;
    if (each == &continuation) {
      found = true;
    } else if (!attach(*each)) {
      each->notify(*this);
    }
  }
  detach_lock_.unlock();
  return found;
}

void CallState::materialize() {
  if (!has_kept_body) return;
  has_kept_body = false;
  Reader reader{std::span<const std::byte>(kept_body)};
  decode_value(reader);
  reader.finish();
  kept_body = {};
}

}  // namespace slipway::detail
