// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/local/child_process.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace slipway::detail {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Capture, IsEndedAtItsLimitWithWhatItStarted) {
  const auto start = Clock::now();
  const auto captured = capture({.command = {"sh", "-c", "echo begun; sleep 100 & wait"}, .limit = 300ms});
  ASSERT_TRUE(captured);
  EXPECT_TRUE(captured->timed_out);
  EXPECT_EQ(captured->status, 128 + 9);
  EXPECT_EQ(captured->output, "begun\n");
  EXPECT_LT(Clock::now() - start, 60s);
}

TEST(Capture, IsNotEndedBeforeItsLimit) {
  const auto captured = capture({.command = {"sh", "-c", "echo good; echo bad >&2; exit 7"}, .limit = 60s});
  ASSERT_TRUE(captured);
  EXPECT_FALSE(captured->timed_out);
  EXPECT_EQ(captured->status, 7);
  EXPECT_EQ(captured->output, "good\n");
  EXPECT_EQ(captured->errors, "bad\n");
}

}  // namespace
}  // namespace slipway::detail
