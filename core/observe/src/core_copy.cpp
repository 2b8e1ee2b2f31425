// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "core_copy.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace slipway::detail {

namespace {

[[noreturn]] void die_of(int signal, const siginfo_t* info) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  // With what it came with, so that a debugger shows the address. raise() knows the thread by its old number.
  if (!info || ::syscall(SYS_rt_sigqueueinfo, ::getpid(), signal, info) != 0) ::kill(::getpid(), signal);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, signal);
  ::sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  ::_exit(1);
}

}  // namespace

bool core_is_wanted() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur > 0;
}

// Not fork(): it runs handlers of libraries and takes the allocator's locks, which the thread may hold. Without a
// signal at the copy's end, nobody else in this process takes it for a child of his.
pid_t start_core_copy(int signal, const siginfo_t* info) {
  const auto copy = static_cast<pid_t>(::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (copy == 0) die_of(signal, info);
  return copy;
}

bool wait_for_core(pid_t copy) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(copy, &status, __WALL);
  } while (ended < 0 && errno == EINTR);
  return ended == copy && WIFSIGNALED(status) && WCOREDUMP(status);
}

}  // namespace slipway::detail
