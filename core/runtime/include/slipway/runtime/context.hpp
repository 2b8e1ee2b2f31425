// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "slipway/base/ids.hpp"

namespace slipway {

namespace detail {
class NodeHost;
}

// What a node knows of itself and of the run. Given to constructors and run(); lives as long as the node. Any thread.
class Context {
 public:
  explicit Context(detail::NodeHost& host) : host_(host) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const std::string& label() const;
  NodeId node() const;
  std::uint32_t index() const;       // in its group; 0 for a single node
  std::uint32_t group_size() const;  // 1 for a single node
  RankId rank() const;
  std::uint32_t ranks() const;
  const std::string& host_name() const;
  // The same for the same program, seed (--slipway-seed) and node, on any placement.
  std::uint64_t seed() const;
  std::uint32_t attempt() const;

  // One line in the rank's log, labelled with the node.
  template <class... Args>
  void log(fmt::format_string<Args...> text, Args&&... args) {
    write_log(fmt::format(text, std::forward<Args>(args)...));
  }
  // What the progress line and status.json say of this program.
  void report_progress(std::string_view text);
  // The same as a number that grows with the work done (steps, frames). The largest of all nodes counts: a job that is
  // requeued stops being so when two attempts leave it where it was.
  void progress(std::uint64_t number);
  // Work done just now, in a unit of the program's own: report("frames", 128). What all nodes report adds up; the
  // progress line, status.json, the end report and `slipway report` tell the amount and the rate. Throws UsageError for
  // a unit that is no name, and for an amount that is no number from 0 on.
  void report(std::string_view unit, double amount);
  // Of this run; user files belong into `result_directory()`, made on first use.
  std::string run_directory() const;
  std::string result_directory() const;

  // Asks the whole program to stop: tokens first, then workers return, calls drain, nodes are destroyed. Contract 8.
  void stop(std::string_view reason);
  // The same, and waits in run() end with Stopped at once.
  void stop_now(std::string_view reason);
  std::stop_token stop_token() const;
  bool stop_requested() const { return stop_token().stop_requested(); }
  // False: the program is stopping.
  bool sleep_for(std::chrono::nanoseconds duration) const;

  // What to do when the end of the job comes near (time limit, preemption): save what is worth it. All hooks of the
  // node run once, in this order, while none of its handlers does; then the program stops, with status 75: start me
  // again. Hooks may call other nodes. An exception out of one is a failure of the node.
  void on_notice(std::function<void(std::chrono::nanoseconds left)> hook);
  // What this node needs to go on in another attempt. The hook writes it, after the hooks for the notice or when
  // somebody asks for it, and under the same rules; the runtime puts it into the run directory, complete or not at all,
  // together with that of all other nodes.
  void on_save(std::function<void(std::ostream& out)> hook);
  // Asks for a state of all nodes now, as at a notice but without its hooks: each node's on_save runs while none of its
  // handlers does, and the program goes on. Returns at once. A request that comes while a state is being saved is
  // served by the next one, together with others; one that comes when the program is about to end is dropped. The log
  // and status.json say when the state is complete.
  void save(std::string_view reason);
  // To be called in the constructor: reads at once what this node wrote last, if an attempt before saved a complete
  // state. False: there is none, start anew. Throws Error when it is damaged; what the hook throws goes on to the
  // caller.
  bool on_restore(const std::function<void(std::istream& in)>& hook);
  // Until the job is expected to end; nothing before a notice.
  std::optional<std::chrono::nanoseconds> time_left() const;

  // Runs `f` while no handler of this node runs: for state that run() shares with methods. Do not call it in a handler.
  template <class F>
  std::invoke_result_t<F> exclusive(F&& f) {
    const ExclusiveScope scope(*this);
    return std::forward<F>(f)();
  }

  // A thread of this node that may use handles; joined before the node is destroyed.
  void start_thread(std::function<void()> body);

 private:
  class ExclusiveScope {
   public:
    explicit ExclusiveScope(Context& context) : context_(context) { context_.enter_exclusive(); }
    ~ExclusiveScope() { context_.leave_exclusive(); }
    ExclusiveScope(const ExclusiveScope&) = delete;
    ExclusiveScope& operator=(const ExclusiveScope&) = delete;

   private:
    Context& context_;
  };
  void enter_exclusive();
  void leave_exclusive();
  void write_log(std::string_view text);

  detail::NodeHost& host_;
};

}  // namespace slipway
