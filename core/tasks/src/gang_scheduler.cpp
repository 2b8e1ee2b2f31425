// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "gang_scheduler.hpp"

#include <algorithm>
#include <mutex>

namespace slipway::detail {

namespace {

// Hosts and their free ranks. The smallest one on which all have room comes first, else the one with the most.
std::vector<std::vector<std::uint32_t>> free_by_host(const std::vector<bool>& is_free,
                                                     const std::vector<HostId>& host_of_rank, std::uint32_t size) {
  std::map<HostId, std::vector<std::uint32_t>> by_host;
  for (std::uint32_t rank = 0; rank < is_free.size(); ++rank) {
    if (is_free[rank]) by_host[host_of_rank[rank]].push_back(rank);
  }
  std::vector<std::vector<std::uint32_t>> hosts;
  for (auto& [host, ranks] : by_host) hosts.push_back(std::move(ranks));
  std::stable_sort(hosts.begin(), hosts.end(), [size](const auto& a, const auto& b) {
    const bool all_on_a = a.size() >= size;
    const bool all_on_b = b.size() >= size;
    if (all_on_a != all_on_b) return all_on_a;
    return all_on_a ? a.size() < b.size() : a.size() > b.size();
  });
  return hosts;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> choose_gang_ranks(const std::vector<bool>& is_free,
                                                            const std::vector<HostId>& host_of_rank,
                                                            std::uint32_t size) {
  if (static_cast<std::size_t>(std::count(is_free.begin(), is_free.end(), true)) < size) return std::nullopt;
  std::vector<std::uint32_t> chosen;
  for (const auto& ranks : free_by_host(is_free, host_of_rank, size)) {
    for (const std::uint32_t rank : ranks) {
      if (chosen.size() < size) chosen.push_back(rank);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::optional<std::vector<std::uint32_t>> GangScheduler::choose(const Waiting& gang) const {
  std::vector<bool> fits(is_free_);
  for (std::size_t rank = 0; rank < fits.size(); ++rank) {
    fits[rank] = fits[rank] && capacities_[rank].slots(gang.asks) > 0;
  }
  return choose_gang_ranks(fits, host_of_rank_, gang.size);
}

std::vector<GangScheduler::Placed> GangScheduler::place() {
  std::vector<Placed> placed;
  while (!waiting_.empty()) {
    const auto ranks = choose(waiting_.front());
    if (!ranks) break;
    for (const std::uint32_t rank : *ranks) is_free_[rank] = false;
    running_[waiting_.front().name] = *ranks;
    placed.push_back({waiting_.front().name, *ranks});
    waiting_.pop_front();
  }
  return placed;
}

std::vector<GangScheduler::Placed> GangScheduler::add(const Name& name, std::uint32_t size, const TaskAsks& asks) {
  const std::lock_guard guard(lock_);
  waiting_.push_back({name, size, asks});
  return place();
}

std::vector<GangScheduler::Placed> GangScheduler::remove(const Name& name) {
  const std::lock_guard guard(lock_);
  if (const auto found = running_.find(name); found != running_.end()) {
    for (const std::uint32_t rank : found->second) is_free_[rank] = true;
    running_.erase(found);
  } else {
    std::erase_if(waiting_, [&name](const Waiting& each) { return each.name == name; });
  }
  return place();
}

}  // namespace slipway::detail
