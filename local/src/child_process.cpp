// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/local/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "slipway/base/error.hpp"

namespace slipway::detail {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_of(const ChildRequest& request) {
  const auto& more = request.more_environment;
  const auto& less = request.less_environment;
  std::vector<std::string> variables;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const auto name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(
        more.begin(), more.end(), [name](std::string_view entry) { return entry.substr(0, entry.find('=')) == name; });
    if (!replaced && std::find(less.begin(), less.end(), name) == less.end()) variables.emplace_back(text);
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return variables;
}

// Both at once, so that neither pipe fills up while the other is read.
// Until both have ended, or the time is over; without limit where it is 0.
void read_both(int output, int errors, std::chrono::milliseconds limit, Captured& captured) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  std::array<pollfd, 2> ends{{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&captured.output, &captured.errors};
  std::array<char, 4096> part{};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    captured.timed_out = limit.count() > 0 && left.count() <= 0;
    if (captured.timed_out) return;
    if (::poll(ends.data(), ends.size(), limit.count() > 0 ? static_cast<int>(left.count()) : -1) < 0)
      continue;  // a signal came
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t size = ::read(ends[i].fd, part.data(), part.size());
      if (size > 0) {
        texts[i]->append(part.data(), static_cast<std::size_t>(size));
      } else if (size == 0 || errno != EINTR) {
        ends[i].fd = -1;  // poll leaves it aside
      }
    }
  }
}

// Between fork and exec: async-signal-safe calls only. Returns only when something failed, with errno set.
void become(const ChildRequest& request, pid_t parent, char* const* arguments, char* const* environment) {
  if (request.own_process_group) ::setpgid(0, 0);
  if (request.signal_at_death_of_parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, request.signal_at_death_of_parent);
    if (::getppid() != parent) ::_exit(1);  // it died before the line above
  }
  if (request.empty_input) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing >= 0) ::dup2(nothing, 0);
  }
  if (request.output >= 0) ::dup2(request.output, 1);
  if (request.error >= 0) ::dup2(request.error, 2);
  ::execvpe(arguments[0], arguments, environment);
}

}  // namespace

int OwnedDescriptor::release() { return std::exchange(value_, -1); }

void OwnedDescriptor::reset(int value) {
  if (value_ >= 0) ::close(value_);
  value_ = value;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(std::string("cannot make a pipe (") + std::strerror(errno) + ") raise the limit of open files");
  }
  return {OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

pid_t start_child(const ChildRequest& request) {
  auto words = request.command;
  auto variables = environment_of(request);
  const auto arguments = pointers_to(words);
  const auto environment = pointers_to(variables);
  // Carries errno of a failed exec; a successful one closes it.
  Pipe failure = make_pipe();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    become(request, parent, arguments.data(), environment.data());
    const int reason = errno;
    if (::write(failure.write.get(), &reason, sizeof reason) < 0) ::_exit(126);
    ::_exit(127);
  }
  failure.write.reset();
  int reason = child < 0 ? errno : 0;
  if (child > 0) {
    ssize_t size = 0;
    while ((size = ::read(failure.read.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
    }
    if (size <= 0) return child;
    ::waitpid(child, nullptr, 0);
  }
  throw Error("cannot run " + request.command.front() + " (" + std::strerror(reason) + ") check the path");
}

std::optional<Captured> capture(ChildRequest request) {
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  request.empty_input = true;
  request.own_process_group = request.own_process_group || request.limit.count() > 0;  // what it started ends as well
  request.output = output.write.get();
  request.error = errors.write.get();
  pid_t child = 0;
  try {
    child = start_child(request);
  } catch (const Error&) {
    return std::nullopt;
  }
  output.write.reset();
  errors.write.reset();
  Captured captured;
  read_both(output.read.get(), errors.read.get(), request.limit, captured);
  if (captured.timed_out) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  captured.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return captured;
}

}  // namespace slipway::detail
