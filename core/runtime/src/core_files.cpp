// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/core_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway {

namespace {

constexpr const char* pattern_file = "/proc/sys/kernel/core_pattern";

struct Handler {
  std::string_view program;  // in its path
  std::string_view command;
};

constexpr std::array handlers{Handler{"systemd-coredump", "coredumpctl list, coredumpctl debug"},
                              Handler{"apport", "ls /var/lib/apport/coredump /var/crash"},
                              Handler{"abrt-hook-ccpp", "abrt-cli list"}};

std::string where_handler_keeps_them(std::string_view command_line) {
  const std::string program(split(command_line, ' ').front());
  const auto known = std::find_if(handlers.begin(), handlers.end(), [&](const Handler& handler) {
    return program.find(handler.program) != std::string::npos;
  });
  if (known != handlers.end()) {
    return fmt::format("core files are taken by {} of the host where a rank dies; to see them, there: {}", program,
                       known->command);
  }
  return fmt::format("core files are taken by {} of the host where a rank dies; its documentation says where they are",
                     program);
}

bool names_process(std::string_view pattern) { return pattern.find("%p") != std::string_view::npos; }

}  // namespace

std::string core_pattern() {
  std::string pattern(trimmed(read_file(pattern_file).value_or("core")));
  const bool is_file = !pattern.starts_with('|') && !pattern.starts_with('@');
  const bool adds_process = trimmed(read_file("/proc/sys/kernel/core_uses_pid").value_or("0")) == "1";
  if (is_file && adds_process && !names_process(pattern)) pattern += ".%p";
  if (pattern.empty()) {
    throw UsageError(fmt::format("this machine writes no core files ({} is empty) ask who runs it", pattern_file));
  }
  return pattern;
}

std::string where_cores_go(std::string_view pattern, std::string_view directory) {
  if (pattern.starts_with('|')) return where_handler_keeps_them(trimmed(pattern.substr(1)));
  if (pattern.starts_with('@')) {
    return fmt::format("core files are taken by who listens at {} on the host where a rank dies", pattern.substr(1));
  }
  const auto file = std::filesystem::path(directory) / pattern;
  if (names_process(pattern)) return fmt::format("core files go to {} (%p: the process)", file.string());
  return fmt::format("core files go to {}, where the last one takes the place of others", file.string());
}

void allow_core_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) != 0) throw Error(std::string("getrlimit: ") + std::strerror(errno));
  if (limit.rlim_max == 0) {
    throw UsageError(
        "core files cannot be had (their hard limit is 0, which only an administrator raises) look at "
        "/etc/security/limits.conf, or ask who runs the machine");
  }
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_CORE, &limit) != 0) throw Error(std::string("setrlimit: ") + std::strerror(errno));
}

}  // namespace slipway
