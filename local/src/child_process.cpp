// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
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

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  const auto replaced = [&](std::string_view variable) {
    const auto name = variable.substr(0, variable.find('=') + 1);
    for (const auto& entry : more) {
      if (entry.starts_with(name)) return true;
    }
    return false;
  };
  std::vector<std::string> variables;
  for (char** variable = environ; variable && *variable; ++variable) {
    if (!replaced(*variable)) variables.emplace_back(*variable);
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return variables;
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
  auto variables = environment_with(request.more_environment);
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

std::optional<std::string> output_of(const std::vector<std::string>& command) {
  Pipe pipe = make_pipe();
  pid_t child = 0;
  try {
    child =
        start_child({.command = command, .empty_input = true, .output = pipe.write.get(), .error = pipe.write.get()});
  } catch (const Error&) {
    return std::nullopt;
  }
  pipe.write.reset();
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t size = ::read(pipe.read.get(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

}  // namespace slipway::detail
