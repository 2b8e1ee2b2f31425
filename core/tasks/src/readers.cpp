// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "readers.hpp"

#include <cstddef>

namespace slipway::detail {

namespace {

constexpr std::size_t given_to = 2;  // by each

// Who is above the one that comes next, of those that came before; nothing: the root.
std::optional<RankId> parent_of_next(const std::vector<RankId>& before) {
  const std::size_t next = before.size();
  return next < given_to ? std::nullopt : std::optional(before[next / given_to - 1]);
}

}  // namespace

std::optional<RankId> Readers::add(RankId reader, HostId host) {
  if (!all_.insert(reader).second) return std::nullopt;
  const auto first = first_on_.find(host);
  const bool is_first = first == first_on_.end() && host != host_of_owner_;
  if (is_first) first_on_.emplace(host, reader);
  auto& others = is_first ? firsts_ : on_host_[host];
  auto parent = parent_of_next(others);
  others.push_back(reader);
  if (!parent && first != first_on_.end()) parent = first->second;
  return parent;
}

}  // namespace slipway::detail
