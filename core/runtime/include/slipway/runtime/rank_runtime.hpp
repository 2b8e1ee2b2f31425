// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "slipway/graph/placement.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/rpc/transport.hpp"
#include "slipway/runtime/options.hpp"
#include "slipway/runtime/program.hpp"

// One rank's part of a run, over whatever transport: what launchers and the test kit call.
namespace slipway {

namespace detail {
class EdgeFaults;
}

// Signals that a process got, for the ranks in it to act on.
struct ProcessRequests {
  std::atomic<int> stop{0};        // how often somebody asked to stop (Ctrl-C, SIGTERM)
  std::atomic<int> picture{0};     // how often somebody asked who waits for whom (SIGUSR2)
  std::atomic<int> notice{0};      // how often it was told that its end is near (SIGUSR1)
  std::atomic<bool> dying{false};  // a thread of this process left its last words, and waits for them to be recorded
};

struct RankSetup {
  Program* program = nullptr;
  Transport* transport = nullptr;
  const Options* options = nullptr;
  ProcessRequests* requests = nullptr;
  double cpus = 1;  // of this rank, for placement
  std::uint32_t pool_threads = 1;
  std::string cores;  // for the plan
  // On the controller: the directory to use; made when the ranks have agreed. Default: leave nothing.
  std::function<RunDirectory()> make_run_directory;
  bool ranks_share_process = false;
  // Whether the process that started this one, and would collect it, is gone; asked every heartbeat.
  std::function<bool()> abandoned;
  bool show_end = true;  // print failure, report and run directory at the end
  // Nodes whose run() is not started (the test kit calls them by hand).
  std::function<bool(const std::string& label)> suppress_run;
  // For the test kit: called on rank 0 once all run() have been started, on a thread of its own that may use handles.
  // The program stops when it returns. Must not throw.
  std::function<void()> body;
  detail::EdgeFaults* edge_faults = nullptr;  // of the test kit
};

struct RankResult {
  int status = 0;
  bool clean = true;  // false: threads of user code are still busy; leave by _exit
  std::string run_directory;
  std::string failure = {};  // on the controller: what ended the run
};

// Runs the rank from agreement to its end. Throws UsageError (on all ranks alike) when graph, placement or binaries do
// not fit; nothing has started then. Another exception, as for a log file that cannot be written, is this rank's own:
// the others have been told that it is gone, and why.
RankResult run_rank(const RankSetup& setup);

}  // namespace slipway
