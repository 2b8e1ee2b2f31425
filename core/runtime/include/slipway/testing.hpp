// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/runtime/program.hpp"

// For unit tests of programs: a whole program in this process, with any number of ranks, repeatable under a seed, with
// lost ranks, and slow or broken edges on request. Any test framework; nothing is printed unless a node logs or a wait
// stalls.
//
//   slipway::Program program("sums");
//   auto adder = program.node<Adder>("adder");
//   slipway::testing::run(program, {.ranks = 2}, [&](slipway::testing::Running&) {
//     EXPECT_EQ(adder.get<&Adder::add>(1, 2), 3);
//   });
namespace slipway {

class LocalWorld;
struct ProcessRequests;

namespace testing {

namespace detail {
class EdgeRules;
}

// Members keep their order for ever; new ones go last (designated initialisers).
struct Conditions {
  std::uint32_t ranks = 1;
  // Under a seed one thread runs at a time, the seed decides which, and time is virtual: the same seed gives the same
  // run. Without: real threads, real time.
  std::optional<std::uint64_t> seed = std::nullopt;
  // Labels of workers whose run() is not started, "*" for all: the test calls these nodes by hand. Such a program, and
  // one without workers, ends only when the body returns.
  std::vector<std::string> suppress_run = {};
  // Calls inside a rank go through bytes too, so that a type that cannot travel is found.
  bool serialize_local = true;
  std::uint32_t pool_threads = 2;  // a rank
  // Any other knob of a run, as on the command line without prefix: {{"stall-after", "50ms"}}.
  std::vector<std::pair<std::string, std::string>> options = {};
  // Faults from the start on, before the nodes are constructed.
  struct Delay {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::chrono::nanoseconds duration{0};
  };
  std::vector<Delay> delays = {};
  bool show_end = false;  // print failure and report as a run of the program does
  // Single edges of the graph, from the start on; names as in Running::delay_edge.
  struct Edge {
    std::string from;
    std::string to;
    std::chrono::nanoseconds delay{0};
    bool fails = false;
  };
  std::vector<Edge> edges = {};
};

struct Result {
  int status = 0;           // as launch would return it, of all ranks the worst
  std::string failure;      // what ended the run: node, type and text; empty when all went well
  bool clean = true;        // false: threads of user code did not end, and were left behind
  std::uint64_t trace = 0;  // digest of all choices, under a seed: equal for equal runs
};

// The program while it runs, for the body of a test. Any thread.
class Running {
 public:
  Running(LocalWorld& world, detail::EdgeRules& edges, ProcessRequests& requests)
      : world_(world), edges_(edges), requests_(requests) {}
  // Messages sent from now on between these ranks arrive this much later; their order stays.
  void delay(std::uint32_t from, std::uint32_t to, std::chrono::nanoseconds duration);
  // Calls made from now on by one node to another, on whatever ranks, reach it this much later; their order stays.
  // `from` and `to` are labels of nodes or groups, "*" stands for all, and for the body of the test as a caller. Of
  // several rules the latest holds. A stop waits for calls that are held back. Throws UsageError for a label that is
  // none.
  void delay_edge(const std::string& from, const std::string& to, std::chrono::nanoseconds duration);
  // The outcome of such calls is this error from now on, without a handler; by default a RemoteError of the type
  // "slipway::testing::EdgeFailed". Posts are lost.
  void fail_edge(const std::string& from, const std::string& to, std::exception_ptr error = nullptr);
  // From now on such calls are neither late nor failing.
  void mend_edge(const std::string& from, const std::string& to);
  // Cuts the rank off, as if it had been killed: the program fails with status 3.
  void lose(std::uint32_t rank, const std::string& reason = "lost by the test");
  // Tells the program that the end of its job is near, as a signal would: hooks run, and it stops with status 75.
  void give_notice();
  // Failures of calls of this rank that nobody looked at, so far.
  std::uint64_t unobserved_errors() const;
  // Waits in virtual time under a seed, else in real time.
  void sleep_for(std::chrono::nanoseconds duration) const;

 private:
  LocalWorld& world_;
  detail::EdgeRules& edges_;
  ProcessRequests& requests_;
};

// Runs the program to its end. `body` is called on rank 0, on a thread of its own, once every node is constructed and
// every run() has been started; when it returns, the program stops. Without body the program runs until its workers
// have returned. An exception out of the body is thrown here again after the end, except Stopped in a program that
// failed. Throws UsageError for what launch would refuse. A program can be run many times, by one thread at a time.
Result run(Program& program, const Conditions& setup, const std::function<void(Running&)>& body);
Result run(Program& program, const Conditions& setup = {});

namespace detail {
std::vector<std::uint64_t> seeds(std::uint32_t count);
void report_seed(std::uint64_t seed);
}  // namespace detail

// Calls f(seed) for `count` seeds, or for SLIPWAY_TEST_SEEDS many when `count` is 0 (100 when that is not set). An
// exception out of `f`, or false, ends it: the seed is printed, and how to repeat it. SLIPWAY_TEST_SEED=n runs this
// seed alone. False: a seed failed.
template <class F>
bool for_each_seed(std::uint32_t count, F&& f) {
  for (const std::uint64_t seed : detail::seeds(count)) {
    bool good = true;
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<F&, std::uint64_t>>) {
        f(seed);
      } else {
        good = f(seed);
      }
    } catch (...) {
      detail::report_seed(seed);
      throw;
    }
    if (good) continue;
    detail::report_seed(seed);
    return false;
  }
  return true;
}
template <class F>
bool for_each_seed(F&& f) {
  return for_each_seed(0, std::forward<F>(f));
}

}  // namespace testing
}  // namespace slipway
