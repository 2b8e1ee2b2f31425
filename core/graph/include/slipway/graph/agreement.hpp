// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slipway/graph/graph.hpp"

// What ranks compare at the start to be sure that each built the same graph. Contract 7.
namespace slipway {

// One thing that must be equal on all ranks. The content is one line of text, exact to the last bit of each number.
struct AgreementItem {
  std::string name;  // "program", "group 'producer'", "node 'producer/0'"
  std::string content;

  friend bool operator==(const AgreementItem&, const AgreementItem&) = default;
};

// The whole graph as lines: the program, its groups, its nodes with the edges that leave them, in the order of the
// graph.
std::vector<AgreementItem> agreement_items(const Graph& graph);

// Equal for equal items; different, but for one chance in 2^64, for others. Ranks compare this first.
std::uint64_t digest(const std::vector<AgreementItem>& items);

// The first item in which two ranks differ, as a sentence without names of ranks:
// "node 'a' differs (here: ...; there: ...)"; nothing if they are equal.
std::optional<std::string> first_difference(const std::vector<AgreementItem>& here,
                                            const std::vector<AgreementItem>& there);

}  // namespace slipway
