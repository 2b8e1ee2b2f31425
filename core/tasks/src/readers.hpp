// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "slipway/base/ids.hpp"

namespace slipway::detail {

// The ranks that a large value has gone to, in the order in which they asked, as trees: so that many may have it at
// once although each gives it to few. It goes once to each host, and there from rank to rank.
class Readers {
 public:
  explicit Readers(HostId host_of_owner) : host_of_owner_(host_of_owner) {}

  // Who gives it to this one; nothing: the owner, as to one that asks again.
  std::optional<RankId> add(RankId reader, HostId host);

 private:
  const HostId host_of_owner_;
  std::set<RankId> all_;
  std::vector<RankId> firsts_;                     // of the other hosts
  std::map<HostId, RankId> first_on_;              // each
  std::map<HostId, std::vector<RankId>> on_host_;  // the rest
};

}  // namespace slipway::detail
