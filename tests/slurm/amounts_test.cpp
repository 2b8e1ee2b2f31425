// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/amounts.hpp"

#include <gmock/gmock.h>

#include "slipway/base/error.hpp"

namespace slipway::slurm {
namespace {

std::string wall_time(std::string_view text) { return format_wall_time(parse_wall_time(text)); }

TEST(WallTime, AllFormsOfSlurm) {
  EXPECT_EQ(wall_time("90"), "01:30:00");
  EXPECT_EQ(wall_time("90:30"), "01:30:30");
  EXPECT_EQ(wall_time("1:30:15"), "01:30:15");
  EXPECT_EQ(wall_time("2-12"), "2-12:00:00");
  EXPECT_EQ(wall_time("2-12:30"), "2-12:30:00");
  EXPECT_EQ(wall_time("2-12:30:05"), "2-12:30:05");
  EXPECT_EQ(wall_time("25:00:00"), "1-01:00:00");
}

TEST(WallTime, FormsOfPeople) {
  EXPECT_EQ(wall_time("90m"), "01:30:00");
  EXPECT_EQ(wall_time("1h30m"), "01:30:00");
  EXPECT_EQ(wall_time("2d"), "2-00:00:00");
  EXPECT_EQ(wall_time("1d12h"), "1-12:00:00");
  EXPECT_EQ(wall_time(" 45s "), "00:00:45");
}

TEST(WallTime, RefusesNonsense) {
  for (const char* const wrong : {"", "0", "0:00:00", "-5", "1.5h", "1h30", "5x", "h", "1:2:3:4", "1-2:3:4:5", "a-1",
                                  "366d", "99999999999999999999", "9223372036854775807h", "1:-2", "1-", "UNLIMITED"}) {
    EXPECT_THROW(parse_wall_time(wrong), UsageError) << wrong;
  }
}

TEST(Memory, InUnitsOfPeople) {
  EXPECT_EQ(parse_memory_mib("4G"), 4096u);
  EXPECT_EQ(parse_memory_mib("1.5 GiB"), 1536u);
  EXPECT_EQ(parse_memory_mib("800M"), 800u);
  EXPECT_EQ(parse_memory_mib("1t"), 1048576u);
  EXPECT_EQ(parse_memory_mib("2048K"), 2u);
  EXPECT_EQ(parse_memory_mib("3000"), 3000u);
  EXPECT_EQ(parse_memory_mib("2GB"), 2048u);
  EXPECT_EQ(format_memory(1536), "1536M");
}

TEST(Memory, RefusesNonsense) {
  for (const char* const wrong :
       {"", "0", "0G", "-1G", "1.0001G", "100K", "4X", "4 G iB", "GiB", "1e300T", "nan", "inf", "0.5M"}) {
    EXPECT_THROW(parse_memory_mib(wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace slipway::slurm
