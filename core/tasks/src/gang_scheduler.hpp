// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/tasks/task_asks.hpp"

namespace slipway::detail {

// So many of the free ranks, on as few hosts as possible, in order of ranks; nothing: too few are free. Depends on
// nothing but its arguments.
std::optional<std::vector<std::uint32_t>> choose_gang_ranks(const std::vector<bool>& is_free,
                                                            const std::vector<HostId>& host_of_rank,
                                                            std::uint32_t size);

// On one rank: which gang has which ranks. In the order in which they came: one that waits for many ranks keeps those
// that follow back, so that its turn comes. A rank is in one gang at a time, so that members that are there wait only
// for others that will come, and communicators are made in one order. Any thread.
class GangScheduler {
 public:
  GangScheduler(const std::vector<RankCapacity>& capacities, std::vector<HostId> host_of_rank)
      : capacities_(capacities), host_of_rank_(std::move(host_of_rank)), is_free_(capacities.size(), true) {}

  struct Name {
    std::uint32_t owner = 0;
    std::uint64_t gang = 0;
    auto operator<=>(const Name&) const = default;
  };
  struct Placed {
    Name name;
    std::vector<std::uint32_t> ranks;  // by member
  };
  // What can begin now.
  std::vector<Placed> add(const Name& name, std::uint32_t size, const TaskAsks& asks);
  // It is over, or is not wanted any more.
  std::vector<Placed> remove(const Name& name);

 private:
  struct Waiting {
    Name name;
    std::uint32_t size = 0;
    TaskAsks asks;
  };
  std::vector<Placed> place();  // with lock_
  std::optional<std::vector<std::uint32_t>> choose(const Waiting& gang) const;

  const std::vector<RankCapacity>& capacities_;
  const std::vector<HostId> host_of_rank_;
  seam::SpinLock lock_;  // guards what follows
  std::vector<bool> is_free_;
  std::deque<Waiting> waiting_;
  std::map<Name, std::vector<std::uint32_t>> running_;
};

}  // namespace slipway::detail
