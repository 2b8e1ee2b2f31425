// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_history/clocks.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>

namespace slipway::task_history {

namespace {

using Kind = TaskEvent::Kind;
using Hosts = std::vector<std::size_t>;  // the host of each rank's events, as a number

struct Moments {
  std::size_t owner = 0;
  std::size_t guest = 0;
  std::int64_t sent = 0;
  std::int64_t started = 0;
  std::int64_t ended = 0;
  std::int64_t returned = 0;
};

// How much later than it says a host's clock may be, to agree with the one that it is compared with.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  // Nothing, where that is possible.
  std::int64_t nearest() const {
    if (least > most) return least / 2 + most / 2;
    return std::clamp<std::int64_t>(0, least, most);
  }
};

// Tasks that one host sent to another one, whole.
std::vector<Moments> trips(const std::vector<TaskEvents>& ranks, const Hosts& hosts) {
  std::unordered_map<std::uint64_t, Moments> all;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const TaskEvent& event : ranks[i].events) {
      if (event.kind == Kind::sent) all[event.task] = {.owner = i, .guest = i, .sent = event.time};
    }
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const TaskEvent& event : ranks[i].events) {
      const auto found = all.find(event.task);
      if (found == all.end()) continue;
      Moments& trip = found->second;
      if (event.kind == Kind::started) {
        trip.guest = i;
        trip.started = event.time;
      } else if (event.kind == Kind::ended) {
        trip.ended = event.time;
      } else if (event.kind == Kind::returned) {
        trip.returned = event.time;
      }
    }
  }
  std::vector<Moments> whole;
  for (const auto& [task, trip] : all) {
    const bool complete = trip.started != 0 && trip.ended != 0 && trip.returned != 0;
    if (complete && hosts[trip.owner] != hosts[trip.guest]) whole.push_back(trip);
  }
  return whole;
}

void tighten(Bounds& bounds, const Moments& trip, bool guest_moves) {
  const std::int64_t there = trip.sent - trip.started;
  const std::int64_t back = trip.returned - trip.ended;
  if (guest_moves) {
    bounds.least = std::max(bounds.least, there);
    bounds.most = std::min(bounds.most, back);
  } else {
    bounds.least = std::max(bounds.least, -back);
    bounds.most = std::min(bounds.most, -there);
  }
}

}  // namespace

std::vector<std::int64_t> clock_offsets(const std::vector<TaskEvents>& ranks) {
  std::map<std::string, std::size_t> numbers;
  Hosts hosts;
  std::vector<std::int64_t> offsets;  // of hosts
  for (const TaskEvents& rank : ranks) {
    const auto [entry, is_new] = numbers.try_emplace(rank.head.host, numbers.size());
    if (is_new) offsets.push_back(rank.wall_offset);
    hosts.push_back(entry->second);
  }
  const std::vector<Moments> all = trips(ranks, hosts);
  // One after the other, by those that are in line already.
  for (std::size_t host = 1; host < offsets.size(); ++host) {
    Bounds bounds;
    for (Moments trip : all) {
      const std::size_t owner = hosts[trip.owner];
      const std::size_t guest = hosts[trip.guest];
      if (std::max(owner, guest) != host) continue;
      trip.sent += offsets[owner];
      trip.returned += offsets[owner];
      trip.started += offsets[guest];
      trip.ended += offsets[guest];
      tighten(bounds, trip, guest == host);
    }
    offsets[host] += bounds.nearest();
  }
  std::vector<std::int64_t> of_ranks;
  for (const std::size_t host : hosts) of_ranks.push_back(offsets[host]);
  return of_ranks;
}

}  // namespace slipway::task_history
