// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/array_indexes.hpp"

#include <gmock/gmock.h>

namespace slipway::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::SizeIs;

TEST(ArrayIndexes, AllFormsOfSlurm) {
  EXPECT_THAT(parse_array("7"), Optional(ElementsAre(7)));
  EXPECT_THAT(parse_array("0-3%2"), Optional(ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(parse_array("5,1,7,1"), Optional(ElementsAre(1, 5, 7)));
  EXPECT_THAT(parse_array("0-20:5,2"), Optional(ElementsAre(0, 2, 5, 10, 15, 20)));
  EXPECT_THAT(parse_array("0-21:5"), Optional(ElementsAre(0, 5, 10, 15, 20)));
  EXPECT_THAT(parse_array("4294967295"), Optional(ElementsAre(4294967295)));
  EXPECT_THAT(parse_array("4294967290-4294967295:4"), Optional(ElementsAre(4294967290, 4294967294)));
  EXPECT_THAT(parse_array("0-999999"), Optional(SizeIs(1'000'000)));
}

TEST(ArrayIndexes, WhatIsNone) {
  for (const char* const text : {"", "a-b", "5-1", "1-", "-1", "1,,2", "1-3:0", "0-3%", "0-3%0", "0-3%x", "1:2",
                                 "0-1000000", "0-9...", " 1", "4294967296"}) {
    EXPECT_EQ(parse_array(text), std::nullopt) << text;
  }
}

TEST(ArrayIndexes, ShortFormGivesTheSameBack) {
  EXPECT_EQ(format_array(*parse_array("3,1,2,7,9,10")), "1-3,7,9-10");
  EXPECT_EQ(format_array({}), "");
  EXPECT_EQ(parse_array(format_array(*parse_array("0-20:5,3-8"))), parse_array("0-20:5,3-8"));
}

}  // namespace
}  // namespace slipway::slurm
