// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/core_files.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "slipway/base/error.hpp"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CoreFiles, ARelativePatternIsOfTheWorkingDirectory) {
  EXPECT_THAT(where_cores_go("core.%e.%p", "/home/ada"),
              AllOf(HasSubstr("/home/ada/core.%e.%p"), HasSubstr("%p: the process")));
  EXPECT_THAT(where_cores_go("cores/%p", "/home/ada"), HasSubstr("/home/ada/cores/%p"));
}

TEST(CoreFiles, OneNameForAllIsTold) {
  EXPECT_THAT(where_cores_go("core", "/home/ada"), AllOf(HasSubstr("/home/ada/core,"), HasSubstr("the last one")));
}

TEST(CoreFiles, AnAbsolutePatternIsTakenAsItIs) {
  EXPECT_THAT(where_cores_go("/var/cores/%h.%p", "/home/ada"),
              AllOf(HasSubstr(" /var/cores/%h.%p "), Not(HasSubstr("ada"))));
}

TEST(CoreFiles, AHandlerIsNamedWithTheCommandThatShowsThem) {
  EXPECT_THAT(where_cores_go("|/usr/lib/systemd/systemd-coredump %P %u %g", "/home/ada"),
              AllOf(HasSubstr("/usr/lib/systemd/systemd-coredump of the host"), HasSubstr("coredumpctl list")));
  EXPECT_THAT(where_cores_go("|/usr/share/apport/apport -p%p -- %E", "/home/ada"), HasSubstr("/var/crash"));
  EXPECT_THAT(where_cores_go("|/usr/libexec/abrt-hook-ccpp %s", "/home/ada"), HasSubstr("abrt-cli list"));
  EXPECT_THAT(where_cores_go("|/opt/site/keep-core %p", "/home/ada"),
              AllOf(HasSubstr("/opt/site/keep-core of the host"), HasSubstr("documentation")));
  EXPECT_THAT(where_cores_go("@/run/cores.socket", "/home/ada"), HasSubstr("listens at /run/cores.socket"));
}

rlimit limit_of_cores() {
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  return limit;
}

[[noreturn]] void raise_limit_and_leave(rlimit before) {
  ::setrlimit(RLIMIT_CORE, &before);
  try {
    allow_core_files();
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(2);
  }
  std::_Exit(limit_of_cores().rlim_cur == before.rlim_max ? 0 : 1);
}

TEST(CoreFiles, TheSoftLimitBecomesTheHardOne) {
  const rlim_t hard = limit_of_cores().rlim_max;
  const int expected = hard > 0 ? 0 : 2;
  EXPECT_EXIT(raise_limit_and_leave({.rlim_cur = 0, .rlim_max = hard}), ::testing::ExitedWithCode(expected), "");
}

TEST(CoreFiles, AHardLimitOf0IsRefused) {
  EXPECT_EXIT(raise_limit_and_leave({}), ::testing::ExitedWithCode(2), "their hard limit is 0");
}

}  // namespace
}  // namespace slipway
