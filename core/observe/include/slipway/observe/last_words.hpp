// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// What is left of a process that dies in user code: a few lines in its log and on stderr, a failure record in the run
// directory, status 1. Covers SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, std::terminate, and exit() while a run goes on.
// Where the soft limit allows core files, all but exit() leave one: of a copy of the process, with all memory and the
// thread that died. The hook is called once it is written.
namespace slipway::last_words {

// One rank, as its threads know it. Filled before the rank's threads start, and alive as long as they are.
struct Rank {
  std::uint32_t number = 0;
  int log = -1;                           // descriptor of the log file; -1: none
  std::array<char, 256> host{};           // zero-terminated, as the next ones
  std::array<char, 1024> log_file{};      //
  std::array<char, 1024> failure_file{};  // empty: no record is written

  void set(std::uint32_t rank, const std::string& host_name, int log_descriptor, const std::filesystem::path& log_path,
           const std::filesystem::path& failure_path);
};

// What the calling thread is at. Plain pointers to zero-terminated text that outlives its use, so that setting them
// costs a store and a signal handler may read them.
struct Place {
  const Rank* rank = nullptr;
  const char* node = nullptr;
  const char* method = nullptr;
};

// The place of the calling thread.
inline thread_local constinit Place place;

// Sets the place for a scope, and puts back what was there: calls nest on one stack.
class At {
 public:
  At(const Rank* rank, const char* node, const char* method) : before_(place) { place = {rank, node, method}; }
  At(const At&) = delete;
  At& operator=(const At&) = delete;
  ~At() { place = before_; }

 private:
  Place before_;
};

// Called once, by the dying thread, after the words were written and before `_exit(1)`; must be async-signal-safe.
// `text` is the first line of the words.
using Hook = void (*)(int status, const char* text);

// Puts the handlers in place for the process; call before MPI is initialised, which leaves handlers alone that are there
// already. Later calls only change the hook. The address sanitizer keeps its handlers: they get their turn after the
// words.
void install(Hook hook);

// While this is set, exit() and quick_exit() called by user code count as a failure of the node that called.
void set_run_in_progress(bool in_progress);

// A stack for signal handlers of the calling thread: without one, the overflow of a thread's stack dies without words.
// Takes no room until used. Constructed and destroyed on the same thread.
class AlternateStack {
 public:
  AlternateStack();
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack();

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  void* before_memory_ = nullptr;  // a sanitizer's
  std::size_t before_size_ = 0;
};

}  // namespace slipway::last_words
