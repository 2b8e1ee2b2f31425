// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "slipway/base/error.hpp"

extern char** environ;

namespace slipway::tool {

namespace {

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_writing_end();
    ::close(ends_[0]);
  }
  int reading_end() const { return ends_[0]; }
  int writing_end() const { return ends_[1]; }
  void close_writing_end() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::vector<std::string> changed_environment(const std::map<std::string, std::optional<std::string>>& changes) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (!changes.contains(text.substr(0, text.find('=')))) variables.push_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (value) variables.push_back(name + "=" + *value);
  }
  return variables;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Both at once, so that neither pipe fills up while the other is read.
void read_both(Pipe& output, Pipe& errors, CommandResult& result) {
  std::array<pollfd, 2> ends{{{output.reading_end(), POLLIN, 0}, {errors.reading_end(), POLLIN, 0}}};
  std::array<std::string*, 2> texts{&result.output, &result.errors};
  std::array<char, 4096> buffer;
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (::poll(ends.data(), ends.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t size = ::read(ends[i].fd, buffer.data(), buffer.size());
      if (size > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(size));
      } else if (size == 0 || errno != EINTR) {
        ends[i].fd = -1;
      }
    }
  }
}

int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::optional<CommandResult> run_command(const std::vector<std::string>& words,
                                         const std::map<std::string, std::optional<std::string>>& changes) {
  Pipe output;
  Pipe errors;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.writing_end(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.writing_end(), STDERR_FILENO);
  const auto variables = changed_environment(changes);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words.front().c_str(), &actions, nullptr, pointers_to(words).data(),
                                   pointers_to(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) throw Error(words.front() + " cannot be run (" + std::strerror(error) + "); look at its permissions");
  output.close_writing_end();
  errors.close_writing_end();
  CommandResult result;
  read_both(output, errors, result);
  result.status = status_of(child);
  return result;
}

CommandResult run_slurm(const std::vector<std::string>& words) {
  const std::map<std::string, std::optional<std::string>> plain{{"LC_ALL", "C"},
                                                                {"SQUEUE_FORMAT", std::nullopt},
                                                                {"SQUEUE_FORMAT2", std::nullopt},
                                                                {"SACCT_FORMAT", std::nullopt},
                                                                {"SQUEUE_STATES", std::nullopt},
                                                                {"SLURM_TIME_FORMAT", "standard"}};
  auto result = run_command(words, plain);
  if (!result) {
    throw UsageError("there is no " + words.front() +
                     " on the PATH (this machine has no Slurm, or its module is not loaded). `run`, `script`, `status` "
                     "and `logs` work without it");
  }
  return *std::move(result);
}

bool slurm_is_here() {
  static const bool here = run_command({"sbatch", "--version"}).has_value();
  return here;
}

}  // namespace slipway::tool
