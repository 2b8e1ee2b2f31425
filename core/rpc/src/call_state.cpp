// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/call_state.hpp"

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

// A continuation may let go of the last other reference, so where there is one a reference of its own keeps the state.
void CallState::close() {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  std::uint64_t next = 0;
  do {
    next = (word & ~list_mask) | closed_flag;
    if (list_in(word)) next += one_reference;
  } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel));
  if (!list_in(word)) return;
  tell(list_in(word));
  release();
}

void CallState::finish_unclaimed_and_release() {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  std::uint64_t next = 0;
  do {
    if ((word & claimed_flag) != 0) return release();
    next = (word & ~list_mask) | closed_flag | claimed_flag;
    if (!list_in(word)) next -= one_reference;
  } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel));
  if (list_in(word)) {
    tell(list_in(word));
    release();
  } else if (next < one_reference) {
    delete this;
  }
}

void CallState::tell(Continuation* list) {
  detach_lock_.lock();
  while (list) {
    Continuation* const continuation = list;
    list = list->next;
    continuation->notify(*this);
  }
  detach_lock_.unlock();
}

bool CallState::attach(Continuation& continuation) {
  const auto address = reinterpret_cast<std::uintptr_t>(&continuation);
  std::uint64_t word = word_.load(std::memory_order_acquire);
  do {
    if ((word & closed_flag) != 0) return false;
    continuation.next = list_in(word);
  } while (!word_.compare_exchange_weak(word, (word & ~list_mask) | address, std::memory_order_acq_rel));
  return true;
}

bool CallState::detach(Continuation& continuation) {
  // Only waits that end before their call come here, so the list may be taken apart and put together again.
  detach_lock_.lock();
  std::uint64_t word = word_.load(std::memory_order_acquire);
  do {
    if ((word & closed_flag) != 0) {
      detach_lock_.unlock();
      return false;
    }
  } while (!word_.compare_exchange_weak(word, word & ~list_mask, std::memory_order_acq_rel));
  bool found = false;
  for (Continuation* head = list_in(word); head;) {
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

}  // namespace slipway::detail
