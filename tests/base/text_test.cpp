// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/text.hpp"

#include <gmock/gmock.h>

namespace slipway {
namespace {

TEST(ShellLine, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_line(std::vector<std::string>{"a", "b c", "", "it's", "x=1"}), "a 'b c' '' 'it'\\''s' x=1");
  EXPECT_EQ(shell_word("$HOME\n`x`"), "'$HOME\n`x`'");
  EXPECT_EQ(shell_word("caf\xc3\xa9"), "'caf\xc3\xa9'");
}

TEST(Nearest, IsTheOneWithFewestChanges) {
  const std::vector<std::string> names{"nodes", "node-type", "notice-margin"};
  EXPECT_EQ(nearest("nodess", names), "nodes");
  EXPECT_EQ(nearest("notice", names), "nodes");
  EXPECT_EQ(nearest("nod-typ", names), "node-type");
}

}  // namespace
}  // namespace slipway
