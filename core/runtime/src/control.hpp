// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/rpc/writer.hpp"

// What ranks tell each other about the life of the program. The controller on rank 0 says what is next; the others
// report. Also what a rank's own threads tell its main thread.
namespace slipway::detail {

enum class ControlKind : std::uint8_t {
  // rank -> controller
  constructed,       // all nodes of the rank are built
  worker_done,       // node `number` has returned from run()
  failed,            // text: a FirstFailure as JSON
  lost,              // number: another rank; text: reason
  stop_asked,        // text: reason; number: 1 = stop_now; first: 1 = asked from outside the program
  workers_returned,  // after `stop`
  drain_state,       // number: round; first: DrainState; second: handlers and tasks run so far
  destroyed,         // number: level
  report,            // text: report rows
  counts,        // first: handlers run so far; second: the progress number; text: what the program says of its progress
  work,          // text: what the rank's nodes have reported, see work_message
  notice_asked,  // text: reason
  save_asked,    // text: reason
  saved,         // number: of the state that the rank's nodes were to save on request; text: what they saved
  noticed,       // the rank's nodes have been told that the end is near; text: what they saved
  // controller -> ranks
  go,         // run() may start
  notice,     // first: nanoseconds left; number: of the state to save, 0 for none; text: reason
  save,       // number: of the state; text: reason
  stop,       // text: reason; first: 1 = tasks that have been submitted are still run
  end_waits,  // waits in run() end with Stopped; text: reason
  drain,      // number: round
  destroy,    // number: level
  end,        // number: exit status; all is in order
  abort,      // number: exit status; end at once
  // inside a rank
  own_worker_done,  // number: node
  own_failure,      // text: a FirstFailure as JSON
  own_constructed,
  own_thread_done,  // a thread that a node started, or the body of a test
  own_saved,        // number: of the state; text: what a node saved on request
  own_noticed,      // a node's hooks for the notice have run
  peer_lost,        // number: rank; text: reason
};

// Bits.
enum DrainState : std::uint8_t { drain_quiet = 1, drain_has_tasks = 2 };

struct Control {
  ControlKind kind = ControlKind::counts;
  std::uint32_t number = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::string text = {};
};

// What was written, as a text to send.
std::string text_of(const Writer& writer);

std::string to_bytes(const Control& control);
// Throws WireError.
Control control_from(std::string_view bytes);

struct Event {
  RankId from;
  Control control;
};

// From any thread to the rank's main thread.
class EventQueue {
 public:
  void push(Event event) {
    {
      const std::lock_guard guard(lock_);
      events_.push_back(std::move(event));
    }
    word_.fetch_add(1, std::memory_order_acq_rel);
    seam::wake(word_);
  }
  // The next one; nothing at the deadline.
  std::optional<Event> next(seam::Time deadline) {
    while (true) {
      const std::uint32_t ticket = word_.load(std::memory_order_acquire);
      {
        const std::lock_guard guard(lock_);
        if (!events_.empty()) {
          Event event = std::move(events_.front());
          events_.pop_front();
          return event;
        }
      }
      if (!seam::wait(word_, ticket, deadline)) return std::nullopt;
    }
  }

 private:
  seam::Word word_{0};
  seam::SpinLock lock_;  // guards events_
  std::deque<Event> events_;
};

}  // namespace slipway::detail
